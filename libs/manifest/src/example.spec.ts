import { describe, expect, it } from '@jest/globals';
import { draftOf, entriesOf, exampleOf, exampleText } from './example.js';
import { manifestJsonSchema } from './schema/manifest.js';
import { shapeProblems } from './validate.js';

describe('exampleOf', () => {
  it.each<[object, unknown]>([
    [{ type: 'string', examples: ['a'] }, 'a'],
    [{ const: 1 }, 1],
    [{ enum: ['a', 'b'] }, 'a'],
    [{ type: 'boolean' }, true],
    [{ type: 'number' }, 1],
    [{ type: 'integer' }, 1],
    [{ type: 'string' }, undefined],
    [{}, undefined],
    [{ type: 'array', items: { const: 1 } }, [1]],
    [{ type: 'array', items: { type: 'string' } }, undefined],
    [{ type: 'array' }, undefined],
    [{ type: ['number', 'string'] }, 1],
    [{ type: 'object' }, {}],
    [{ type: 'object', properties: { a: { const: 1 }, b: { const: 2 } }, required: ['a'] }, { a: 1 }],
    [{ type: 'object', required: ['a'] }, undefined],
    [{ oneOf: [{ const: 1 }, { const: 2 }] }, 1],
    [{ oneOf: [] }, undefined],
  ])('returns for %j the example %j', (schema, example) => {
    expect(exampleOf(schema)).toEqual(example);
  });

  it('builds a package that matches the schema', () => {
    expect([...shapeProblems(exampleOf(manifestJsonSchema))]).toEqual([]);
  });
});

describe('exampleText', () => {
  it.each<[string | undefined, unknown, string]>([
    ['version', { examples: ['1.0.0'] }, ' Example: "version": "1.0.0".'],
    [undefined, { examples: [{ a: [1, null], b: {} }] }, ' Example: { "a": [1, null], "b": {} }.'],
    [undefined, { type: 'string' }, ''],
    [undefined, { examples: ['x'.repeat(200)] }, ''],
    ['a', undefined, ''],
    ['a', null, ''],
  ])('describes the example of key %j with schema %j', (key, schema, text) => {
    expect(exampleText(key, schema)).toBe(text);
  });
});

describe('draftOf', () => {
  it.each<[string, unknown, object]>([
    ['what is no object', 7, {}],
    ['null', null, {}],
    ['a list', [], {}],
    ['wrong types', { name: 7, roles: {}, listing: [], webhooks: null }, {}],
    ['unknown keys', { key: 'a', keys: 'b', constructor: 1 }, { key: 'a' }],
    ['patterns and limits', { version: 'one', name: '' }, { version: 'one', name: '' }],
    ['an unknown kind', { kind: 'industry' }, {}],
    ['another manifest version', { manifestVersion: 2 }, {}],
    ['the manifest version', { manifestVersion: 1 }, { manifestVersion: 1 }],
    ['whole numbers', { connector: { pageSize: 1.5, maxRetries: 3 } }, { connector: { maxRetries: 3 } }],
    [
      'places in a list',
      { webhooks: [1, { url: 'a', events: [2, 'b'] }] },
      { webhooks: [undefined, { url: 'a', events: [undefined, 'b'] }] },
    ],
    [
      'a text or an object',
      { permissions: ['a', { scope: 'b', x: 1 }, 3, []] },
      { permissions: ['a', { scope: 'b' }, undefined, undefined] },
    ],
    [
      'a text or a list',
      { connector: { streams: [{ primaryKey: 'a' }, { primaryKey: ['a', 1] }, { primaryKey: 7 }] } },
      { connector: { streams: [{ primaryKey: 'a' }, { primaryKey: ['a', undefined] }, {}] } },
    ],
    [
      'maps of texts',
      { connector: { streams: [{ mapping: { a: 'b', c: 1 } }] } },
      { connector: { streams: [{ mapping: { a: 'b' } }] } },
    ],
    [
      'branches by their type',
      {
        automations: [
          {
            trigger: { type: 'event', event: 'a', cron: 'b' },
            actions: [{ type: 'wait', seconds: '1' }, { type: 'x' }, 5],
          },
        ],
      },
      { automations: [{ trigger: { type: 'event', event: 'a' }, actions: [{ type: 'wait' }, undefined, undefined] }] },
    ],
    [
      'anything where anything is allowed',
      { objects: [{ fields: [{ default: null }, { default: [1] }] }] },
      { objects: [{ fields: [{ default: null }, { default: [1] }] }] },
    ],
  ])('keeps only values of the right type: %s', (_what, manifest, draft) => {
    expect(draftOf(manifest)).toEqual(draft);
  });
});

describe('entriesOf', () => {
  it('returns the members that are present, with their indexes', () => {
    expect([...entriesOf(['a', undefined, 'b'])].flat()).toEqual([0, 'a', 2, 'b']);
    expect([...entriesOf(undefined)]).toEqual([]);
  });
});

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
  ])('returns for %j the example %j', (schema, example) => expect(exampleOf(schema)).toEqual(example));

  it('builds a package that matches the schema', () => {
    expect([...shapeProblems(exampleOf(manifestJsonSchema))]).toEqual([]);
  });
});

it.each<[string | undefined, unknown, string]>([
  ['version', { examples: ['1.0.0'] }, ' Example: "version": "1.0.0".'],
  [undefined, { examples: [{ a: [1, null], b: {} }] }, ' Example: { "a": [1, null], "b": {} }.'],
  [undefined, { type: 'string' }, ''],
  [undefined, { examples: ['x'.repeat(200)] }, ''],
  ['a', undefined, ''],
  ['a', null, ''],
])('exampleText describes the example of key %j with schema %j', (key, schema, text) => {
  expect(exampleText(key, schema)).toBe(text);
});

const ANYTHING = { objects: [{ fields: [{ default: null }, { default: [1] }] }] };
const WAIT = { type: 'wait', seconds: '1' };
const hooks = (...webhooks: unknown[]) => ({ webhooks });
const streams = (...list: object[]) => ({ connector: { streams: list } });
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
    hooks(1, { url: 'a', events: [2, 'b'] }),
    hooks(undefined, { url: 'a', events: [undefined, 'b'] }),
  ],
  [
    'a text or an object',
    { permissions: ['a', { scope: 'b', x: 1 }, 3] },
    { permissions: ['a', { scope: 'b' }, undefined] },
  ],
  ['a list in their place', { permissions: [[], 'a'] }, { permissions: [undefined, 'a'] }],
  ['a text or a list: a text', streams({ primaryKey: 'a' }), streams({ primaryKey: 'a' })],
  [
    'a list, or none',
    streams({ primaryKey: ['a', 1] }, { primaryKey: 7 }),
    streams({ primaryKey: ['a', undefined] }, {}),
  ],
  ['maps of texts', streams({ mapping: { a: 'b', c: 1 } }), streams({ mapping: { a: 'b' } })],
  [
    'branches by their type',
    { automations: [{ trigger: { type: 'event', event: 'a', cron: 'b' }, actions: [{ type: 'x' }, WAIT, 5] }] },
    { automations: [{ trigger: { type: 'event', event: 'a' }, actions: [undefined, { type: 'wait' }, undefined] }] },
  ],
  ['anything where anything is allowed', ANYTHING, ANYTHING],
])('draftOf keeps only values of the right type: %s', (_what, manifest, draft) =>
  expect(draftOf(manifest)).toEqual(draft),
);

it('entriesOf returns the members that are present, with their indexes', () => {
  expect([...entriesOf(['a', undefined, 'b'])].flat()).toEqual([0, 'a', 2, 'b']);
  expect([...entriesOf(undefined)]).toEqual([]);
});

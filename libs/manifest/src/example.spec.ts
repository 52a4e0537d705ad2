import { describe, expect, it } from '@jest/globals';
import { exampleOf, exampleText } from './example.js';
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

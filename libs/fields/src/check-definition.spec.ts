import { describe, expect, it } from '@jest/globals';
import { checkDefinition } from './check-definition.js';
import type { FieldDefinition } from './field-definition.js';

const problems = (field: object) =>
  checkDefinition([{ apiName: 'f', ...field } as FieldDefinition]).map(({ pointer, code }) => `${code} ${pointer}`);

describe('accepts the definition', () => {
  it.each<object>([
    { type: 'text' },
    { type: 'text', required: true, is_unique: true, default: 'x', validationRules: [{ type: 'maxLength', value: 5 }] },
    { type: 'textarea', validationRules: [{ type: 'minLength', value: 1 }] },
    {
      type: 'number',
      validationRules: [
        { type: 'min', value: 1 },
        { type: 'max', value: 1 },
      ],
      default: 1,
    },
    {
      type: 'number',
      validationRules: [
        { type: 'min', value: -2e15 },
        { type: 'max', value: 2e15 },
      ],
    },
    // The rule compares 15-digit decimals, in which the largest number equals 1e15.
    { type: 'number', default: 999_999_999_999_999.9, validationRules: [{ type: 'min', value: 1e15 }] },
    { type: 'text', validationRules: [{ type: 'minLength', value: 4000 }] },
    { type: 'phone', validationRules: [{ type: 'minLength', value: 16 }] },
    { type: 'currency', is_unique: true },
    { type: 'percent', default: 50 },
    { type: 'date', default: '2024-02-29' },
    { type: 'datetime', is_unique: true },
    { type: 'email', validationRules: [{ type: 'regex', value: '@example\\.com$' }], default: 'a@example.com' },
    { type: 'phone', default: '+49 30 123456' },
    { type: 'url', default: 'https://example.com' },
    { type: 'picklist', options: ['a', { value: 'b', label: 'B' }], default: 'b' },
    { type: 'multi_select', options: ['a', 'b'], default: ['b'] },
    { type: 'checkbox', default: false },
    { type: 'reference', referenceTarget: 'lead' },
    { type: 'reference', referenceTarget: 'custom:property', is_unique: true },
    { type: 'reference', referenceTarget: 'lead', required: true, onDelete: 'cascade', indexed: true },
    { type: 'formula', expression: 'a + b', exposes: true },
    { type: 'text', options: [], default: null, referenceTarget: null },
  ])('%j', (field) => expect(problems(field)).toEqual([]));
});

describe('inconsistent definitions of fields', () => {
  it.each<[object, string[]]>([
    [{ type: 'money' }, ['TYPE_UNKNOWN /0/type']],
    [{}, ['TYPE_UNKNOWN /0/type']],
    [{ type: 'constructor' }, ['TYPE_UNKNOWN /0/type']],
    [{ type: 'text', onDelete: 'cascade' }, ['ON_DELETE_NOT_ALLOWED /0/onDelete']],
    [
      { type: 'reference', referenceTarget: 'lead', required: true, onDelete: 'set_null' },
      ['ON_DELETE_INVALID /0/onDelete'],
    ],
    [{ type: 'multi_select', options: ['a'], indexed: true }, ['INDEXED_NOT_ALLOWED /0/indexed']],
    [{ type: 'picklist' }, ['OPTIONS_REQUIRED /0/options']],
    [{ type: 'multi_select', options: [] }, ['OPTIONS_REQUIRED /0/options']],
    [{ type: 'text', options: ['a'] }, ['OPTIONS_NOT_ALLOWED /0/options']],
    [{ type: 'picklist', options: ['a', ''] }, ['OPTION_INVALID /0/options/1']],
    [
      { type: 'picklist', options: [5, { value: 'a' }, null] },
      ['OPTION_INVALID /0/options/0', 'OPTION_INVALID /0/options/1', 'OPTION_INVALID /0/options/2'],
    ],
    [
      { type: 'picklist', options: ['a\n', 'x'.repeat(256)] },
      ['OPTION_INVALID /0/options/0', 'OPTION_INVALID /0/options/1'],
    ],
    [{ type: 'picklist', options: ['a', { value: 'a', label: 'A' }] }, ['OPTION_DUPLICATE /0/options/1']],
    [{ type: 'reference' }, ['REFERENCE_TARGET_REQUIRED /0/referenceTarget']],
    [{ type: 'reference', referenceTarget: 'task' }, ['REFERENCE_TARGET_INVALID /0/referenceTarget']],
    [{ type: 'reference', referenceTarget: 'custom:' }, ['REFERENCE_TARGET_INVALID /0/referenceTarget']],
    [{ type: 'reference', referenceTarget: 5 }, ['REFERENCE_TARGET_INVALID /0/referenceTarget']],
    [{ type: 'text', referenceTarget: 'lead' }, ['REFERENCE_TARGET_NOT_ALLOWED /0/referenceTarget']],
    [{ type: 'text', validationRules: [{ type: 'even', value: 1 }] }, ['RULE_UNKNOWN /0/validationRules/0/type']],
    [{ type: 'text', validationRules: [null] }, ['RULE_UNKNOWN /0/validationRules/0/type']],
    [{ type: 'text', validationRules: {} }, ['RULE_UNKNOWN /0/validationRules']],
    [{ type: 'text', validationRules: 'x' }, ['RULE_UNKNOWN /0/validationRules']],
    [{ type: 'number', validationRules: [{ type: 'min', value: 1.1e15 }] }, ['RULE_CONFLICT /0/validationRules']],
    [{ type: 'percent', validationRules: [{ type: 'max', value: -1.1e15 }] }, ['RULE_CONFLICT /0/validationRules']],
    [{ type: 'text', validationRules: [{ type: 'minLength', value: 4001 }] }, ['RULE_CONFLICT /0/validationRules']],
    [
      { type: 'textarea', validationRules: [{ type: 'minLength', value: 100_001 }] },
      ['RULE_CONFLICT /0/validationRules'],
    ],
    [{ type: 'email', validationRules: [{ type: 'minLength', value: 255 }] }, ['RULE_CONFLICT /0/validationRules']],
    [{ type: 'url', validationRules: [{ type: 'minLength', value: 2049 }] }, ['RULE_CONFLICT /0/validationRules']],
    [{ type: 'phone', validationRules: [{ type: 'minLength', value: 17 }] }, ['RULE_CONFLICT /0/validationRules']],
    [{ type: 'text', validationRules: [{ type: 'min', value: 1 }] }, ['RULE_NOT_ALLOWED /0/validationRules/0']],
    [{ type: 'number', validationRules: [{ type: 'regex', value: 'a' }] }, ['RULE_NOT_ALLOWED /0/validationRules/0']],
    [{ type: 'date', validationRules: [{ type: 'min', value: 1 }] }, ['RULE_NOT_ALLOWED /0/validationRules/0']],
    [
      { type: 'number', validationRules: [{ type: 'min', value: '1' }] },
      ['RULE_VALUE_INVALID /0/validationRules/0/value'],
    ],
    [
      { type: 'text', validationRules: [{ type: 'regex', value: '(?=a)' }] },
      ['RULE_PATTERN_INVALID /0/validationRules/0/value'],
    ],
    [
      {
        type: 'number',
        validationRules: [
          { type: 'min', value: 2 },
          { type: 'max', value: 1 },
        ],
      },
      ['RULE_CONFLICT /0/validationRules'],
    ],
    [
      {
        type: 'text',
        validationRules: [
          { type: 'maxLength', value: 1 },
          { type: 'minLength', value: 1 },
          { type: 'minLength', value: 2 },
        ],
      },
      ['RULE_CONFLICT /0/validationRules'],
    ],
    [{ type: 'number', default: '1' }, ['DEFAULT_INVALID /0/default']],
    [{ type: 'number', default: 0, validationRules: [{ type: 'min', value: 1 }] }, ['DEFAULT_INVALID /0/default']],
    [{ type: 'picklist', options: ['a'], default: 'b' }, ['DEFAULT_INVALID /0/default']],
    [
      { type: 'multi_select', options: ['a'], default: ['b', 'c'] },
      ['DEFAULT_INVALID /0/default', 'DEFAULT_INVALID /0/default'],
    ],
    [{ type: 'phone', default: '030 123456' }, ['DEFAULT_INVALID /0/default']],
    [{ type: 'text', required: true, default: '' }, ['DEFAULT_INVALID /0/default']],
    [{ type: 'formula' }, ['EXPRESSION_REQUIRED /0/expression']],
    [{ type: 'formula', expression: ' ' }, ['EXPRESSION_REQUIRED /0/expression']],
    [
      { type: 'formula', expression: '1', required: true, default: 1, is_unique: true },
      ['REQUIRED_NOT_ALLOWED /0/required', 'DEFAULT_NOT_ALLOWED /0/default', 'UNIQUE_NOT_ALLOWED /0/is_unique'],
    ],
    [
      { type: 'formula', expression: '1', validationRules: [{ type: 'min', value: 1 }] },
      ['RULE_NOT_ALLOWED /0/validationRules/0'],
    ],
    [{ type: 'text', expression: '1' }, ['EXPRESSION_NOT_ALLOWED /0/expression']],
    [{ type: 'text', exposes: true }, ['EXPOSES_NOT_ALLOWED /0/exposes']],
    [{ type: 'checkbox', is_unique: true }, ['UNIQUE_NOT_ALLOWED /0/is_unique']],
    [{ type: 'multi_select', options: ['a'], is_unique: true }, ['UNIQUE_NOT_ALLOWED /0/is_unique']],
    [{ type: 'textarea', is_unique: true }, ['UNIQUE_NOT_ALLOWED /0/is_unique']],
  ])('%j: %j', (field, expected) => expect(problems(field)).toEqual(expected));

  it('cause no exception, even when a field is not an object', () => {
    for (const field of [null, undefined, 5, 'text', []]) {
      expect(checkDefinition([field as never])).toMatchObject([{ pointer: '/0/type', code: 'TYPE_UNKNOWN' }]);
    }
  });

  it('are reported with a pointer to the field', () => {
    const fields = [
      { apiName: 'a', type: 'text' },
      { apiName: 'b', type: 'picklist' },
    ] as FieldDefinition[];
    expect(checkDefinition(fields)[0]).toEqual({
      pointer: '/1/options',
      code: 'OPTIONS_REQUIRED',
      detail: 'The field type needs options',
    });
  });
});

it('an object can have as many indexed fields of a kind as a record has columns', () => {
  const fields = (count: number) =>
    Array.from(
      { length: count },
      (_, index): FieldDefinition => ({ apiName: `f${index}`, type: 'date', indexed: true }),
    );
  expect(checkDefinition(fields(4))).toEqual([]);
  expect(checkDefinition(fields(5))).toEqual([
    expect.objectContaining({ pointer: '/4/indexed', code: 'INDEXED_TOO_MANY' }),
  ]);
});

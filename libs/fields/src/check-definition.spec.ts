import { describe, expect, it } from '@jest/globals';
import { checkDefinition, MAX_EXPRESSIONS, MAX_FIELD_OPTIONS, MAX_FIELDS } from './check-definition.js';
import type { FieldDefinition } from './field-definition.js';
import { SLOT_COUNTS } from './types/field-type.js';

const problems = (field: object) =>
  checkDefinition([{ apiName: 'f', ...field } as FieldDefinition]).map(({ pointer, code }) => `${code} ${pointer}`);

/** A field with rules, each given by its type and value. */
const ruled = (type: string, ...rules: [type: string, value: unknown][]): object => ({
  type,
  validationRules: rules.map(([type, value]) => ({ type, value })),
});
const picklist = (...options: unknown[]): object => ({ type: 'picklist', options });
const multiSelect = (...options: unknown[]): object => ({ type: 'multi_select', options });
const optionInvalid = (index: number) => `OPTION_INVALID /0/options/${index}`;
const to = (referenceTarget: unknown, more: object = {}): object => ({ type: 'reference', referenceTarget, ...more });
const formula = (expression: string, more: object = {}): object => ({ type: 'formula', expression, ...more });

it.each<object>([
  { type: 'text' },
  { ...ruled('text', ['maxLength', 5]), required: true, is_unique: true, default: 'x' },
  ruled('textarea', ['minLength', 1]),
  { ...ruled('number', ['min', 1], ['max', 1]), default: 1 },
  ruled('number', ['min', -2e15], ['max', 2e15]),
  // The rule compares 15-digit decimals, in which the largest number equals 1e15.
  { ...ruled('number', ['min', 1e15]), default: 999_999_999_999_999.9 },
  ruled('text', ['minLength', 4000]),
  ruled('phone', ['minLength', 16]),
  { type: 'currency', is_unique: true },
  { type: 'percent', default: 50 },
  { type: 'date', default: '2024-02-29' },
  { type: 'datetime', is_unique: true },
  { ...ruled('email', ['regex', '@example\\.com$']), default: 'a@example.com' },
  { type: 'phone', default: '+49 30 123456' },
  { type: 'url', default: 'https://example.com' },
  { ...picklist('a', { value: 'b', label: 'B' }), default: 'b' },
  { type: 'multi_select', options: ['a', 'b'], default: ['b'] },
  { type: 'checkbox', default: false },
  to('lead'),
  to('custom:property', { is_unique: true }),
  to('lead', { required: true, onDelete: 'cascade', indexed: true }),
  formula('a + b', { exposes: true }),
  { type: 'text', options: [], default: null, referenceTarget: null },
])('accepts the definition %j', (field) => expect(problems(field)).toEqual([]));

it.each<[what: string, most: number, definitions: (count: number) => object[], expected: string]>([
  [
    'fields',
    MAX_FIELDS,
    (count) => Array.from({ length: count }, () => ({ type: 'text' })),
    `FIELDS_TOO_MANY /${MAX_FIELDS}`,
  ],
  [
    'options',
    MAX_FIELD_OPTIONS,
    (count) => [picklist(...Array.from({ length: count }, (_, index) => `o${index}`))],
    'OPTIONS_TOO_MANY /0/options',
  ],
  [
    'characters of formulas',
    MAX_EXPRESSIONS,
    (count) =>
      [formula('x'.repeat(10)), formula('x'.repeat(count - 10)), formula('x')].slice(
        0,
        count > MAX_EXPRESSIONS ? 3 : 2,
      ),
    'EXPRESSIONS_TOO_LONG /1/expression',
  ],
])('an object has at most so many %s: %d', (_, most, definitions, expected) => {
  const found = (count: number) =>
    checkDefinition(definitions(count) as FieldDefinition[]).map(({ pointer, code }) => `${code} ${pointer}`);
  expect([found(most), found(most + 1)]).toEqual([[], [expected]]);
});

describe('inconsistent definitions of fields', () => {
  const cases: [expected: string, ...fields: object[]][] = [
    ['TYPE_UNKNOWN /0/type', { type: 'money' }, {}, { type: 'constructor' }],
    ['ON_DELETE_NOT_ALLOWED /0/onDelete', { type: 'text', onDelete: 'cascade' }],
    ['ON_DELETE_INVALID /0/onDelete', to('lead', { required: true, onDelete: 'set_null' })],
    ['INDEXED_NOT_ALLOWED /0/indexed', { type: 'multi_select', options: ['a'], indexed: true }],
    ['OPTIONS_REQUIRED /0/options', { type: 'picklist' }, { type: 'multi_select', options: [] }],
    ['OPTIONS_NOT_ALLOWED /0/options', { type: 'text', options: ['a'] }],
    ['OPTION_INVALID /0/options/1', picklist('a', '')],
    [[0, 1, 2].map(optionInvalid).join(', '), picklist(5, { value: 'a' }, null)],
    [[0, 1].map(optionInvalid).join(', '), picklist('a\n', 'x'.repeat(256))],
    ['OPTION_DUPLICATE /0/options/1', picklist('a', { value: 'a', label: 'A' })],
    ['REFERENCE_TARGET_REQUIRED /0/referenceTarget', { type: 'reference' }],
    ['REFERENCE_TARGET_INVALID /0/referenceTarget', to('task'), to('custom:'), to(5)],
    ['REFERENCE_TARGET_NOT_ALLOWED /0/referenceTarget', { type: 'text', referenceTarget: 'lead' }],
    ['RULE_UNKNOWN /0/validationRules/0/type', ruled('text', ['even', 1]), { type: 'text', validationRules: [null] }],
    ['RULE_UNKNOWN /0/validationRules', { type: 'text', validationRules: {} }, { type: 'text', validationRules: 'x' }],
    [
      'RULE_CONFLICT /0/validationRules',
      ruled('number', ['min', 1.1e15]),
      ruled('percent', ['max', -1.1e15]),
      ruled('text', ['minLength', 4001]),
      ruled('textarea', ['minLength', 100_001]),
      ruled('email', ['minLength', 255]),
      ruled('url', ['minLength', 2049]),
      ruled('phone', ['minLength', 17]),
      ruled('number', ['min', 2], ['max', 1]),
      ruled('text', ['maxLength', 1], ['minLength', 1], ['minLength', 2]),
    ],
    [
      'RULE_NOT_ALLOWED /0/validationRules/0',
      ruled('text', ['min', 1]),
      ruled('number', ['regex', 'a']),
      ruled('date', ['min', 1]),
      { ...ruled('formula', ['min', 1]), expression: '1' },
    ],
    ['RULE_VALUE_INVALID /0/validationRules/0/value', ruled('number', ['min', '1'])],
    ['RULE_PATTERN_INVALID /0/validationRules/0/value', ruled('text', ['regex', '(?=a)'])],
    [
      'DEFAULT_INVALID /0/default',
      { type: 'number', default: '1' },
      { ...ruled('number', ['min', 1]), default: 0 },
      { ...picklist('a'), default: 'b' },
      { type: 'phone', default: '030 123456' },
      { type: 'text', required: true, default: '' },
    ],
    ['DEFAULT_INVALID /0/default, DEFAULT_INVALID /0/default', { ...multiSelect('a'), default: ['b', 'c'] }],
    ['EXPRESSION_REQUIRED /0/expression', { type: 'formula' }, formula(' ')],
    [
      'REQUIRED_NOT_ALLOWED /0/required, DEFAULT_NOT_ALLOWED /0/default, UNIQUE_NOT_ALLOWED /0/is_unique',
      formula('1', { required: true, default: 1, is_unique: true }),
    ],
    ['EXPRESSION_NOT_ALLOWED /0/expression', { type: 'text', expression: '1' }],
    ['EXPOSES_NOT_ALLOWED /0/exposes', { type: 'text', exposes: true }],
    [
      'UNIQUE_NOT_ALLOWED /0/is_unique',
      { type: 'checkbox', is_unique: true },
      { type: 'multi_select', options: ['a'], is_unique: true },
      { type: 'textarea', is_unique: true },
    ],
  ];
  it.each(cases.flatMap(([expected, ...fields]) => fields.map((field) => [field, expected] as const)))(
    '%j: %s',
    (field, expected) => expect(problems(field).join(', ')).toBe(expected),
  );

  it('cause no exception, even when a field is not an object', () => {
    for (const field of [null, undefined, 5, 'text', []]) {
      expect(checkDefinition([field as never])).toMatchObject([{ pointer: '/0/type', code: 'TYPE_UNKNOWN' }]);
    }
  });

  it('are reported with a pointer to the field', () => {
    const fields = (['text', 'picklist'] as const).map((type): FieldDefinition => ({ apiName: type, type }));
    const problem = { pointer: '/1/options', code: 'OPTIONS_REQUIRED', detail: 'This field type requires options' };
    expect(checkDefinition(fields)[0]).toEqual(problem);
  });
});

it('an object can have as many indexed fields of a kind as a record has columns', () => {
  const field = (index: number): FieldDefinition => ({ apiName: `f${index}`, type: 'date', indexed: true });
  const problemsOf = (count: number) =>
    checkDefinition(Array.from({ length: count }, (_, index) => field(index))).map(
      ({ pointer, code }) => `${code} ${pointer}`,
    );
  expect(problemsOf(SLOT_COUNTS.time)).toEqual([]);
  expect(problemsOf(SLOT_COUNTS.time + 1)).toEqual([`INDEXED_TOO_MANY /${SLOT_COUNTS.time}/indexed`]);
});

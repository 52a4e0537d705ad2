import { describe, expect, it } from '@jest/globals';
import type { FieldDefinition } from './field-definition.js';
import { validateRecord } from './validate-record.js';

const FIELDS: FieldDefinition[] = [
  { apiName: 'name', type: 'text', required: true, validationRules: [{ type: 'maxLength', value: 10 }] },
  { apiName: 'amount', type: 'currency', validationRules: [{ type: 'min', value: 0, message: 'No debts, please' }] },
  { apiName: 'stage', type: 'picklist', options: ['new', 'won'], default: 'new' },
  { apiName: 'tags', type: 'multi_select', options: ['a', 'b'], default: ['b', 'a'] },
  { apiName: 'active', type: 'checkbox' },
  { apiName: 'code', type: 'text', is_unique: true, validationRules: [{ type: 'regex', value: '^[A-Z]+$' }] },
  { apiName: 'total', type: 'formula', expression: 'amount * 2' },
];

const codes = (result: ReturnType<typeof validateRecord>) =>
  result.problems.map(({ pointer, code }) => `${pointer} ${code}`);

describe('on create', () => {
  it('every writable field has a value: the given one, the default or null', () => {
    expect(validateRecord(FIELDS, { name: 'A', amount: 5 }, 'create')).toEqual({
      values: { name: 'A', amount: 5, stage: 'new', tags: ['a', 'b'], active: null, code: null },
      problems: [],
    });
  });

  it('null means no value, not the default', () => {
    const { values } = validateRecord(FIELDS, { name: 'A', stage: null }, 'create');
    expect(values.stage).toBeNull();
  });

  it.each([[{}], [{ name: null }], [{ name: '' }], [{ name: undefined }]])('%j lacks a required value', (input) => {
    expect(codes(validateRecord(FIELDS, input, 'create'))).toEqual(['/name REQUIRED']);
  });

  it('a default satisfies a required field', () => {
    const fields: FieldDefinition[] = [{ apiName: 'n', type: 'number', required: true, default: 0 }];
    expect(validateRecord(fields, {}, 'create')).toEqual({ values: { n: 0 }, problems: [] });
    expect(codes(validateRecord(fields, { n: null }, 'create'))).toEqual(['/n REQUIRED']);
  });

  it('an empty selection does not satisfy a required field, false does', () => {
    const fields: FieldDefinition[] = [
      { apiName: 'm', type: 'multi_select', options: ['a'], required: true },
      { apiName: 'c', type: 'checkbox', required: true },
    ];
    expect(codes(validateRecord(fields, { m: [], c: false }, 'create'))).toEqual(['/m REQUIRED']);
  });
});

describe('on update', () => {
  it('only the given fields are checked', () => {
    expect(validateRecord(FIELDS, { amount: 1 }, 'update')).toEqual({ values: { amount: 1 }, problems: [] });
    expect(validateRecord(FIELDS, {}, 'update')).toEqual({ values: {}, problems: [] });
    expect(validateRecord(FIELDS, { amount: undefined }, 'update')).toEqual({ values: {}, problems: [] });
  });

  it('null unsets a field unless it is required', () => {
    expect(validateRecord(FIELDS, { amount: null }, 'update').values).toEqual({ amount: null });
    expect(codes(validateRecord(FIELDS, { name: null }, 'update'))).toEqual(['/name REQUIRED']);
  });
});

describe('the problems of a record', () => {
  it('are all reported, in the order of the fields, then of the input', () => {
    const known = { total: 5, stage: 'lost', amount: -1, tags: ['a', 'c', 7], name: 'x'.repeat(11) };
    expect(codes(validateRecord(FIELDS, { zzz: 1, ...known, 'a/b~c': 1 }, 'create'))).toEqual([
      ...['/name TOO_LONG', '/amount BELOW_MIN', '/stage NOT_AN_OPTION', '/tags/1 NOT_AN_OPTION', '/tags/2 WRONG_TYPE'],
      ...['/total FORMULA_NOT_WRITABLE', '/zzz UNKNOWN_FIELD', '/a~1b~0c UNKNOWN_FIELD'],
    ]);
  });

  it("have parameters, and the rule's own message", () => {
    const { problems } = validateRecord(FIELDS, { name: 'x'.repeat(11), amount: -1 }, 'update');
    const params = { limit: 10, length: 11 };
    expect(problems).toEqual([
      { pointer: '/name', code: 'TOO_LONG', detail: 'Must be 10 characters or fewer', params },
      { pointer: '/amount', code: 'BELOW_MIN', detail: 'No debts, please', params: { min: 0 } },
    ]);
  });

  it('name every broken rule of a field', () => {
    const validationRules: FieldDefinition['validationRules'] = [
      { type: 'minLength', value: 3 },
      { type: 'regex', value: '[0-9]' },
      { type: 'regex', value: '^a', message: 'Begin with a' },
    ];
    const { problems } = validateRecord([{ apiName: 't', type: 'text', validationRules }], { t: 'xy' }, 'create');
    expect(problems.map(({ code, detail }) => `${code}: ${detail}`)).toEqual([
      'TOO_SHORT: Must be 3 characters or more',
      "PATTERN_MISMATCH: Must match the field's pattern",
      'PATTERN_MISMATCH: Begin with a',
    ]);
  });

  it('never contain the value', () => {
    const secret = 'hunter2-secret';
    const input = Object.fromEntries(['code', 'stage', 'name', 'amount'].map((name) => [name, secret]));
    const { problems } = validateRecord(FIELDS, input, 'create');
    expect(problems).toHaveLength(4);
    expect(JSON.stringify(problems)).not.toContain(secret);
  });

  it('include a write to a formula, even of null', () => {
    expect(codes(validateRecord(FIELDS, { total: null }, 'update'))).toEqual(['/total FORMULA_NOT_WRITABLE']);
  });

  it('include a unique value that is too long for its index', () => {
    const field: FieldDefinition = { apiName: 'u', type: 'text', is_unique: true };
    expect(codes(validateRecord([field], { u: 'x'.repeat(2400) }, 'create'))).toEqual([]);
    for (const u of ['x'.repeat(2401), '😀'.repeat(601)]) {
      expect(codes(validateRecord([field], { u }, 'create'))).toEqual(['/u UNIQUE_VALUE_TOO_LONG']);
    }
  });

  it('are as many as an answer names, with as many options each', () => {
    const options = Array.from({ length: 1000 }, (_, index) => `o${index}`);
    const fields: FieldDefinition[] = [{ apiName: 'm', type: 'multi_select', options }];
    const input = { m: options.map((option) => `${option}x`), ...Object.fromEntries(options.map((name) => [name, 1])) };
    const { problems } = validateRecord(fields, input, 'create');
    expect([problems.length, problems[0]?.params]).toEqual([50, { options: options.slice(0, 50) }]);
  });

  it('consider own properties of the input only', () => {
    const fields: FieldDefinition[] = [{ apiName: 'constructor', type: 'text' }];
    expect(validateRecord(fields, {}, 'update')).toEqual({ values: {}, problems: [] });
    const body = JSON.parse('{"__proto__": {"name": "x"}, "constructor": "c"}') as Record<string, unknown>;
    const result = validateRecord(fields, body, 'update');
    expect(codes(result)).toEqual(['/__proto__ UNKNOWN_FIELD']);
    expect(result.values).toEqual({ constructor: 'c' });
  });

  it('do not include an unknown type or rule, which throws', () => {
    const badType = { apiName: 'x', type: 'money' } as unknown as FieldDefinition;
    const validationRules = [{ type: 'even', value: 1 }];
    const badRule = { apiName: 'x', type: 'text', validationRules } as unknown as FieldDefinition;
    expect(() => validateRecord([badType], { x: 1 }, 'create')).toThrow(TypeError);
    expect(() => validateRecord([badRule], { x: 'a' }, 'create')).toThrow(TypeError);
  });
});

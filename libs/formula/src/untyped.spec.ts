import { describe, expect, it } from '@jest/globals';
import { eachSource, evaluateUntyped, table, values } from '../test/evaluate.js';
import { checkFormula } from './checker.js';

table(
  'undeclared names have the type of their value',
  [
    [['x', 'x < 5'], null],
    ...values({ x: 5, 'x == 5': true, 'CONTAINS(x, "")': true, 'CONTAINS("abc", x)': true, 'x - 1': 4 }, { x: 5 }),
    ...values({ 'x + 1': 6, 'x + NULL': null, 'x + TRUE': null, 'UPPER(x)': null, 'x + "a"': '5a' }, { x: 5 }),
    ...values({ 'LEN(x)': 0, 'CONTAINS(x, "5")': false, 'TEXT(x)': '5' }, { x: 5 }),
    ...values({ x: 'a', 'x + y': 'a', 'x + NULL': 'a', 'x < "b"': true, '-x': null }, { x: 'a' }),
    ...values({ 'x + TRUE': 'atrue', 'BLANKVALUE(x, 7)': 7, 'MIN(x, 3)': 3, 'UPPER(x)': 'A' }, { x: 'a' }),
    ...values({ x: true, 'x == TRUE': true, 'x && TRUE': true, '5 > x': null, 'x + 1': null }, { x: true }),
    ...values({ 'ABS(x)': null, '!x': false, 'IF(x, 1, 2)': 1, 'NUMBER(x)': 1, 'LEN(x)': 0 }, { x: true }),
    ['TEXT(x)', 'true', { x: true }],
    ...values({ x: null, 'NUMBER(x)': null, 'x == NULL': true, 'x + "a"': 'a' }, { x: {} }),
    ['x', null, { x: [] }],
    ...values({ x: null, 'CONTAINS(x, "a")': false }, { x: ['a'] }),
    ['x', null, { x: Number.POSITIVE_INFINITY }],
    ['x', null, { x: 'a'.repeat(4001) }],
    [['x == NULL', 'x == y'], true],
    ...values({ 'x == 5': false, 'x != 5': true, 'x == "5"': true, 'x - 1': null, 'x + 1': '51' }, { x: '5' }),
    ['NUMBER(x)', 5, { x: '5' }],
    ...values({ 'x == TRUE': false, 'x == y': false, 'x && TRUE': false, 'x != y': true, 'IF(x, 1, 2)': 2 }, { x: 1 }),
    ...values({ 'x + y': null, 'ROUND(1.25, x)': 1.3 }, { x: 1 }),
    ...values({ 'x == y': true, 'x != y': false }, { x: 'a', y: 'a' }),
    ['x == y', true, { x: 0.1 + 0.2, y: 0.3 }],
    ...values({ 'x == y': false, 'x != y': true }, { x: '1', y: 1 }),
    ...values({ 'x == y': true, 'x < y': null }, { x: true, y: true }),
    ...values({ 'x == d': false, 'DAYS_BETWEEN(x, d)': null }, { x: '2024-01-01', d: '2024-01-01' }),
    ...values({ 'x != y': true, 'x < y': true, 'MAX(x, y)': 'b' }, { x: 'a', y: 'b' }),
    ...values({ 'x != y': false, 'IF(x, 1, 2)': 2 }),
    ['x < 5', true, { x: 4 }],
    ['x < 5', null, { x: '4' }],
    ...values({ 'x < y': true, 'x + y': 3 }, { x: 1, y: 2 }),
    ['x < y', null, { x: 1, y: '2' }],
    ['x < y', null, { x: false, y: true }],
    ...values({ 'x || FALSE': false, '!x': true }, { x: 'true' }),
    ['x + y', 'a2', { x: 'a', y: 2 }],
    ['x + y', null, { x: true, y: 1 }],
    ['x + y', 'truea', { x: true, y: 'a' }],
    ['x + d', 'on 2024-01-01', { x: 'on ', d: '2024-01-01' }],
    ['m + x', 'a, b!', { x: '!', m: ['a', 'b'] }],
    ['m + x', null, { x: 5, m: ['a', 'b'] }],
    ['x + x', null, { x: 'a'.repeat(2001) }],
    ...values({ 'IF(b, x, "t")': null, 'IF(b, x)': 5 }, { b: true, x: 5 }),
    ['IF(b, x, "t")', 'v', { b: true, x: 'v' }],
    ['IF(b, x, d)', null, { b: true, x: '2024-01-01' }],
    ['BLANKVALUE(x, y)', 'b', { x: '', y: 'b' }],
    ['MIN(x, 3)', 2, { x: 2 }],
    ['MAX(x, y)', 2, { x: 2, y: 1 }],
    ['MAX(x, y)', 1, { x: 1, y: 'b' }],
    ['MAX(x, y)', 'b', { x: true, y: 'b' }],
    ...values({ 'LEN(x)': 3, 'CONTAINS(x, "a")': true }, { x: 'abc' }),
    ['CONCAT(x, y)', '', { x: {}, y: [] }],
    ['ROUND(x)', null, { x: '1.5' }],
  ],
  evaluateUntyped,
);

describe('undeclared names', () => {
  eachSource<[type: string]>([
    [['x + d', 'b + x'], 'text'],
    [['x + 1', 'NULL + x', 'x + y'], 'any'],
  ])('%s gives %s', (source, type) => {
    const fields = { d: 'date', b: 'boolean' } as const;
    expect(checkFormula(source, fields, { untypedNames: true }).resultType).toBe(type);
  });

  it('are errors when the fields are known', () => expect(checkFormula('x', {}).ok).toBe(false));

  it('cannot be compared with a multi-select', () => {
    const codes = checkFormula('x == m', { m: 'multi_select' }, { untypedNames: true }).errors.map(({ code }) => code);
    expect(codes).toEqual(['TYPE_MISMATCH']);
  });
});

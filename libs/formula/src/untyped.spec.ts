import { describe, expect, it } from '@jest/globals';
import { evaluateUntyped, table } from '../test/evaluate.js';
import { checkFormula } from './checker.js';

table(
  'undeclared names have the type of their value',
  [
    [['x', 'x < 5'], null],
    ['x', 5, { x: 5 }],
    [['x', 'x + y', 'x + NULL'], 'a', { x: 'a' }],
    [['x', 'x == TRUE', 'x && TRUE'], true, { x: true }],
    [['x', 'NUMBER(x)'], null, { x: {} }],
    ['x', null, { x: [] }],
    ['x', null, { x: ['a'] }],
    ['x', null, { x: Number.POSITIVE_INFINITY }],
    ['x', null, { x: 'a'.repeat(4001) }],
    [['x == NULL', 'x == y'], true],
    ['x == NULL', true, { x: {} }],
    [['x == 5', 'CONTAINS(x, "")', 'CONTAINS("abc", x)'], true, { x: 5 }],
    ['x == 5', false, { x: '5' }],
    [['x != 5', 'x == "5"'], true, { x: '5' }],
    [['x == TRUE', 'x == y', 'x && TRUE'], false, { x: 1 }],
    ['x == y', true, { x: 'a', y: 'a' }],
    ['x == y', true, { x: 0.1 + 0.2, y: 0.3 }],
    ['x == y', false, { x: '1', y: 1 }],
    ['x == y', true, { x: true, y: true }],
    ['x == d', false, { x: '2024-01-01', d: '2024-01-01' }],
    ['x != y', false, { x: 'a', y: 'a' }],
    [['x != y', 'x < y'], true, { x: 'a', y: 'b' }],
    ['x != y', true, { x: '1', y: 1 }],
    ['x != y', true, { x: 1 }],
    ['x != y', false],
    ['x < 5', true, { x: 4 }],
    ['x < 5', null, { x: '4' }],
    [['5 > x', 'x + 1', 'ABS(x)'], null, { x: true }],
    ['x < "b"', true, { x: 'a' }],
    ['x < y', true, { x: 1, y: 2 }],
    ['x < y', null, { x: 1, y: '2' }],
    ['x < y', null, { x: false, y: true }],
    ['x < y', null, { x: true, y: true }],
    ['x - 1', 4, { x: 5 }],
    ['x - 1', null, { x: '5' }],
    ['-x', null, { x: 'a' }],
    ['x || FALSE', false, { x: 'true' }],
    ['!x', true, { x: 'true' }],
    ['!x', false, { x: true }],
    [['IF(x, 1, 2)', 'NUMBER(x)'], 1, { x: true }],
    ['IF(x, 1, 2)', 2, { x: 1 }],
    ['IF(x, 1, 2)', 2],
    ['x + y', 3, { x: 1, y: 2 }],
    ['x + y', 'a2', { x: 'a', y: 2 }],
    ['x + y', null, { x: 1 }],
    ['x + y', null, { x: true, y: 1 }],
    ['x + y', 'truea', { x: true, y: 'a' }],
    ['x + 1', 6, { x: 5 }],
    ['x + 1', '51', { x: '5' }],
    [['x + NULL', 'x + TRUE', 'UPPER(x)'], null, { x: 5 }],
    ['x + "a"', '5a', { x: 5 }],
    ['x + "a"', 'a', { x: {} }],
    ['x + TRUE', 'atrue', { x: 'a' }],
    ['x + d', 'on 2024-01-01', { x: 'on ', d: '2024-01-01' }],
    ['m + x', 'a, b!', { x: '!', m: ['a', 'b'] }],
    ['m + x', null, { x: 5, m: ['a', 'b'] }],
    ['x + x', null, { x: 'a'.repeat(2001) }],
    ['IF(b, x, "t")', null, { b: true, x: 5 }],
    ['IF(b, x, "t")', 'v', { b: true, x: 'v' }],
    ['IF(b, x)', 5, { b: true, x: 5 }],
    ['IF(b, x, d)', null, { b: true, x: '2024-01-01' }],
    ['BLANKVALUE(x, 7)', 7, { x: 'a' }],
    ['BLANKVALUE(x, y)', 'b', { x: '', y: 'b' }],
    ['MIN(x, 3)', 2, { x: 2 }],
    ['MIN(x, 3)', 3, { x: 'a' }],
    ['MAX(x, y)', 2, { x: 2, y: 1 }],
    ['MAX(x, y)', 'b', { x: 'a', y: 'b' }],
    ['MAX(x, y)', 1, { x: 1, y: 'b' }],
    ['MAX(x, y)', 'b', { x: true, y: 'b' }],
    ['LEN(x)', 3, { x: 'abc' }],
    ['LEN(x)', 0, { x: 5 }],
    ['LEN(x)', 0, { x: true }],
    ['UPPER(x)', 'A', { x: 'a' }],
    ['CONTAINS(x, "a")', true, { x: 'abc' }],
    ['CONTAINS(x, "5")', false, { x: 5 }],
    ['CONTAINS(x, "a")', false, { x: ['a'] }],
    ['DAYS_BETWEEN(x, d)', null, { x: '2024-01-01', d: '2024-01-01' }],
    ['NUMBER(x)', 5, { x: '5' }],
    ['TEXT(x)', '5', { x: 5 }],
    ['TEXT(x)', 'true', { x: true }],
    ['CONCAT(x, y)', '', { x: {}, y: [] }],
    ['ROUND(x)', null, { x: '1.5' }],
    ['ROUND(1.25, x)', 1.3, { x: 1 }],
  ],
  evaluateUntyped,
);

describe('undeclared names', () => {
  it.each([
    ['x + d', 'text'],
    ['b + x', 'text'],
    ['x + 1', 'any'],
    ['NULL + x', 'any'],
    ['x + y', 'any'],
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

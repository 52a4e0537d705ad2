import { describe, expect, it } from '@jest/globals';
import { evaluate, type TestRecord, titleOf } from '../test/evaluate.js';
import type { JsonValue } from './ast.js';

type Case = [source: string, expected: JsonValue, record?: TestRecord];

function table(rule: string, cases: Case[]): void {
  describe(rule, () => {
    it.each(
      cases.map(([source, expected, record = {}]) => ({
        title: titleOf(source, expected, record),
        source,
        expected,
        record,
      })),
    )('$title', ({ source, expected, record }) => expect(evaluate(source, record)).toStrictEqual(expected));
  });
}

const LARGEST = 1.7976931348623157e308;

table('literals', [
  ['1', 1],
  ['0', 0],
  ['007', 7],
  ['1.50', 1.5],
  ['1e3', 1000],
  ['1e+3', 1000],
  ['1.5e-3', 0.0015],
  ['1e-400', 0],
  ['TRUE', true],
  ['false', false],
  ['tRuE', true],
  ['"a"', 'a'],
  ["'a'", 'a'],
  ['""', ''],
  ['\'say "hi"\'', 'say "hi"'],
  ['"it\'s"', "it's"],
  ['"\\"\\\\\\\'"', '"\\\''],
  ['"a\\n\\r\\tb"', 'a\n\r\tb'],
  ['"\\u0041\\u00e9"', 'Aé'],
  ['"\\uD83D\\uDE00"', '😀'],
  ['"a\nb"', 'a\nb'],
  ['"\u00a0"', '\u00a0'],
]);

table('a field has its value; null when it is missing or has another type', [
  ['n', null],
  ['n', null, { n: null }],
  ['n', null, { n: '5' }],
  ['n', null, { n: Number.NaN }],
  ['n', 0, { n: -0 }],
  ['t', '', { t: '' }],
  ['t', null, { t: 5 }],
  ['b', null],
  ['b', false, { b: false }],
  ['b', null, { b: 'true' }],
  ['d', '2024-02-29', { d: '2024-02-29' }],
  ['d', null, { d: '2023-02-29' }],
  ['d', null, { d: '2024-02-29T00:00:00Z' }],
  ['dt', '2024-02-29T10:00:00Z', { dt: '2024-02-29T10:00:00.000Z' }],
  ['dt', '2024-02-29T10:00:00.12Z', { dt: '2024-02-29T10:00:00.1204Z' }],
  ['dt', '2024-02-29T08:00:00Z', { dt: '2024-02-29T10:00:00+02:00' }],
  ['dt', null, { dt: 'yesterday' }],
  ['dt', null, { dt: 0 }],
]);

table('arithmetic with a null operand is null', [
  ['n + 1', null],
  ['1 + n', null],
  ['n - 1', null],
  ['n * 0', null],
  ['0 / n', null],
  ['n % 2', null],
  ['-n', null],
  ['NULL * 2', null],
  ['NULL + NULL', null],
  ['IF(b, NULL) + 1', null],
]);

table('arithmetic returns a float64', [
  ['1 + 2', 3],
  ['0.1 + 0.2', 0.30000000000000004],
  ['3 - 5', -2],
  ['2 * 3.5', 7],
  ['7 / 2', 3.5],
  ['-n', -4, { n: 4 }],
  ['--n', 4, { n: 4 }],
  ['-0', 0],
  ['0 * -1', 0],
  ['-n', 0, { n: 0 }],
  ['0 / -5', 0],
]);

table('arithmetic returns null for a division by zero or a result that is not finite, and 0 on underflow', [
  ['1 / 0', null],
  ['0 / 0', null],
  ['1 % 0', null],
  ['1 / (n - n)', null, { n: 3 }],
  ['1e308 * 10', null],
  ['1e308 + 1e308', null],
  ['-1e308 - 1e308', null],
  ['1 / 1e-320', null],
  ['1e308 * 10 * 0', null],
  ['1e-200 * 1e-200', 0],
  ['-1e-200 * 1e-200', 0],
]);

table('% is the truncated remainder of the 15-digit decimals', [
  ['7 % 3', 1],
  ['-7 % 3', -1],
  ['7 % -3', 1],
  ['-7 % -3', -1],
  ['5.5 % 2', 1.5],
  ['0.3 % 0.1', 0],
  ['1 % 0.1', 0],
  ['-0.3 % 0.1', 0],
  ['-6 % 3', 0],
  ['0.7 % 0.2', 0.1],
  ['1e300 % 7', 1],
  ['5 % 1e300', 5],
  ['1e-300 % 1e300', 1e-300],
  ['1e16 % 1e15', 0],
  ['123456789012345.6 % 1', 0],
  ['2 % 1.5', 0.5],
]);

table('+ with a text on either side is CONCAT', [
  ['"a" + "b"', 'ab'],
  ['"a" + 1', 'a1'],
  ['1 + "a"', '1a'],
  ['t + 1', '1'],
  ['t + t2', ''],
  ['"a" + NULL', 'a'],
  ['NULL + "a"', 'a'],
  ['1 + 2 + "a"', '3a'],
  ['"a" + 1 + 2', 'a12'],
  ['"is " + TRUE', 'is true'],
  ['"on " + d', 'on 2024-02-29', { d: '2024-02-29' }],
  ['"at " + dt', 'at 2024-02-29T10:00:00.5Z', { dt: '2024-02-29T10:00:00.500Z' }],
  ['"has " + m', 'has a, b', { m: ['a', 'b'] }],
  ['0.1 + 0.2 + ""', '0.3'],
]);

table('== and != are always true or false', [
  ['NULL == NULL', true],
  ['NULL != NULL', false],
  ['n == NULL', true],
  ['n == NULL', false, { n: 0 }],
  ['n == 0', false],
  ['n != 0', true],
  ['n == n2', true],
  ['t == ""', false],
  ['t == ""', true, { t: '' }],
  ['b == FALSE', false],
  ['b == FALSE', true, { b: false }],
  ['b != b2', true, { b: true }],
  ['"a" == "a"', true],
  ['"a" == "A"', false],
  ['d == d2', true, { d: '2024-01-01', d2: '2024-01-01' }],
  ['dt == dt2', true, { dt: '2024-01-01T00:00:00Z', dt2: '2024-01-01T01:00:00+01:00' }],
]);

table('numbers compare as 15-digit decimals', [
  ['0.1 + 0.2 == 0.3', true],
  ['0.1 + 0.2 > 0.3', false],
  ['0.1 + 0.2 <= 0.3', true],
  ['0.1 + 0.2 != 0.3', false],
  ['1.1 * 3 == 3.3', true],
  ['1 == 1.000000000000001', true],
  ['1 < 1.00000000000001', true],
  ['123456789012345 < 123456789012346', true],
  ['1234567890123456 == 1234567890123457', true],
  ['-0.1 - 0.2 < -0.3', false],
  ['1e-320 == 0', false],
  ['5e-324 < 1e-323', true],
]);

table('an order comparison with a null operand is null', [
  ['n < 1', null],
  ['1 >= n', null],
  ['NULL < NULL', null],
  ['t < "a"', null],
  ['d > d2', null, { d: '2024-01-01' }],
]);

table('order comparisons', [
  ['1 < 2', true],
  ['2 < 2', false],
  ['2 <= 2', true],
  ['3 > 2', true],
  ['2 >= 3', false],
  ['-1 > -2', true],
  ['"a" < "b"', true],
  ['"Z" < "a"', true],
  ['"a" < "ab"', true],
  ['"" < "a"', true],
  ['"é" > "z"', true],
  ['"\\uFFFD" < "😀"', true],
  ['"😀" < "😁"', true],
  ['"\\uE000" > "\\uD7FF"', true],
  ['d < d2', true, { d: '2024-02-29', d2: '2024-03-01' }],
  ['dt < dt2', true, { dt: '2024-01-01T00:00:00Z', dt2: '2024-01-01T00:00:00.001Z' }],
]);

table('&& || ! treat null as FALSE and always return a boolean', [
  ['b && TRUE', false],
  ['b || FALSE', false],
  ['b || TRUE', true],
  ['!b', true],
  ['NOT b', true],
  ['!NULL', true],
  ['NULL && TRUE', false],
  ['TRUE AND TRUE', true],
  ['TRUE and FALSE', false],
  ['FALSE Or TRUE', true],
  ['n < 1 || n >= 1', false],
  ['!(n < 1)', true],
  ['!!b', true, { b: true }],
  ['not not b', false, { b: false }],
]);

table('precedence', [
  ['1 + 2 * 3', 7],
  ['(1 + 2) * 3', 9],
  ['10 - 2 - 3', 5],
  ['100 / 10 / 2', 5],
  ['7 % 4 * 2', 6],
  ['2 * 7 % 4', 2],
  ['-2 * 3', -6],
  ['2 * -3', -6],
  ['2 - -3', 5],
  ['1 + 1 == 2', true],
  ['1 < 2 == TRUE', true],
  ['TRUE == 1 < 2', true],
  ['FALSE == 1 > 2', true],
  ['TRUE || TRUE && FALSE', true],
  ['(TRUE || TRUE) && FALSE', false],
  ['FALSE && FALSE || TRUE', true],
  ['FALSE == TRUE || TRUE', true],
  ['NOT b == b2', true, { b: false, b2: true }],
  ['NOT b == b2', false, { b: true, b2: true }],
  ['!TRUE == FALSE', true],
  ['NOT FALSE AND FALSE', false],
]);

describe('exactly one of <, ==, > holds between two non-null values', () => {
  const numbers = [0, 0.3, 0.1 + 0.2, 1, 1 + 1e-15, 1 - 1e-16, 1e15, 1e15 + 1, 5e-324, -5e-324, LARGEST, -LARGEST];
  const pairs = numbers.flatMap((n) => numbers.map((n2) => ({ n, n2 })));
  it.each(pairs)('$n and $n2', (record) => {
    const holding = ['n < n2', 'n == n2', 'n > n2'].filter((source) => evaluate(source, record) === true);
    expect(holding).toHaveLength(1);
  });
});

describe('the limit on text results', () => {
  const long = 'é'.repeat(4000);
  table('4,000 characters are kept, one more gives null', [
    ['t + ""', long, { t: long }],
    ['t + "x"', null, { t: long }],
    ['t', null, { t: `${long}x` }],
    ['t', '😀'.repeat(4000), { t: '😀'.repeat(4000) }],
    ['t', null, { t: '😀'.repeat(4001) }],
    ['LEN(t)', 4001, { t: `${long}x` }],
    ['BLANKVALUE(t + "x", "too long")', 'too long', { t: long }],
  ]);
});

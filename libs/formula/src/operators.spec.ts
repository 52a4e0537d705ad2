import { describe, expect, it } from '@jest/globals';
import { type Case, evaluate, table, values } from '../test/evaluate.js';

const LARGEST = 1.7976931348623157e308;

table('literals', [
  ...values({ '1': 1, '007': 7, '1.50': 1.5, '1.5e-3': 0.0015, false: false, '""': '', '\'say "hi"\'': 'say "hi"' }),
  ...values({ '"it\'s"': "it's", '"\\"\\\\\\\'"': '"\\\'', '"a\\n\\r\\tb"': 'a\n\r\tb', '"\\u0041\\u00e9"': 'Aé' }),
  ...values({ '"\\uD83D\\uDE00"': '😀', '"a\nb"': 'a\nb', '"\u00a0"': '\u00a0' }),
  [['0', '1e-400'], 0],
  [['1e3', '1e+3'], 1000],
  [['TRUE', 'tRuE'], true],
  [['"a"', "'a'"], 'a'],
]);

table('a field has its value; null when it is missing or has another type', [
  [['n', 'b'], null],
  ['n', null, { n: null }],
  ['n', null, { n: '5' }],
  ['n', null, { n: Number.NaN }],
  ['n', 0, { n: -0 }],
  ['t', '', { t: '' }],
  ['t', null, { t: 5 }],
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
  [['n + 1', '1 + n', 'n - 1', 'n * 0', '0 / n', 'n % 2', '-n', 'NULL * 2', 'NULL + NULL', 'IF(b, NULL) + 1'], null],
]);

table('arithmetic returns a float64', [
  ...values({ '1 + 2': 3, '0.1 + 0.2': 0.30000000000000004, '3 - 5': -2, '2 * 3.5': 7, '7 / 2': 3.5 }),
  ...values({ '-n': -4, '--n': 4 }, { n: 4 }),
  [['-0', '0 * -1', '0 / -5'], 0],
  ['-n', 0, { n: 0 }],
]);

table('arithmetic returns null for a division by zero or a result that is not finite, and 0 on underflow', [
  [['1 / 0', '0 / 0', '1 % 0', '1e308 * 10', '1e308 + 1e308', '-1e308 - 1e308', '1 / 1e-320', '1e308 * 10 * 0'], null],
  ['1 / (n - n)', null, { n: 3 }],
  [['1e-200 * 1e-200', '-1e-200 * 1e-200'], 0],
]);

table('% is the truncated remainder of the 15-digit decimals', [
  [['7 % 3', '7 % -3', '1e300 % 7'], 1],
  [['-7 % 3', '-7 % -3'], -1],
  ...values({ '5.5 % 2': 1.5, '0.7 % 0.2': 0.1, '5 % 1e300': 5, '1e-300 % 1e300': 1e-300, '2 % 1.5': 0.5 }),
  [['0.3 % 0.1', '1 % 0.1', '-0.3 % 0.1', '-6 % 3', '1e16 % 1e15', '123456789012345.6 % 1'], 0],
]);

table('+ with a text on either side is CONCAT', [
  ...values({ '"a" + "b"': 'ab', '"a" + 1': 'a1', '1 + "a"': '1a', 't + 1': '1', 't + t2': '', '1 + 2 + "a"': '3a' }),
  ...values({ '"a" + 1 + 2': 'a12', '"is " + TRUE': 'is true', '0.1 + 0.2 + ""': '0.3' }),
  [['"a" + NULL', 'NULL + "a"'], 'a'],
  ['"on " + d', 'on 2024-02-29', { d: '2024-02-29' }],
  ['"at " + dt', 'at 2024-02-29T10:00:00.5Z', { dt: '2024-02-29T10:00:00.500Z' }],
  ['"has " + m', 'has a, b', { m: ['a', 'b'] }],
]);

table('== and != are always true or false', [
  [['NULL == NULL', 'n == NULL', 'n != 0', 'n == n2', '"a" == "a"'], true],
  [['NULL != NULL', 'n == 0', 't == ""', 'b == FALSE', '"a" == "A"'], false],
  ['n == NULL', false, { n: 0 }],
  ['t == ""', true, { t: '' }],
  ['b == FALSE', true, { b: false }],
  ['b != b2', true, { b: true }],
  ['d == d2', true, { d: '2024-01-01', d2: '2024-01-01' }],
  ['dt == dt2', true, { dt: '2024-01-01T00:00:00Z', dt2: '2024-01-01T01:00:00+01:00' }],
]);

table('numbers compare as 15-digit decimals', [
  [['0.1 + 0.2 == 0.3', '0.1 + 0.2 <= 0.3', '1.1 * 3 == 3.3', '1 == 1.000000000000001', '1 < 1.00000000000001'], true],
  [['123456789012345 < 123456789012346', '1234567890123456 == 1234567890123457', '5e-324 < 1e-323'], true],
  [['0.1 + 0.2 > 0.3', '0.1 + 0.2 != 0.3', '-0.1 - 0.2 < -0.3', '1e-320 == 0'], false],
]);

table('an order comparison with a null operand is null', [
  [['n < 1', '1 >= n', 'NULL < NULL', 't < "a"'], null],
  ['d > d2', null, { d: '2024-01-01' }],
]);

table('order comparisons', [
  [['1 < 2', '2 <= 2', '3 > 2', '-1 > -2', '"a" < "b"', '"Z" < "a"', '"a" < "ab"', '"" < "a"', '"é" > "z"'], true],
  [['"\\uFFFD" < "😀"', '"😀" < "😁"', '"\\uE000" > "\\uD7FF"'], true],
  [['2 < 2', '2 >= 3'], false],
  ['d < d2', true, { d: '2024-02-29', d2: '2024-03-01' }],
  ['dt < dt2', true, { dt: '2024-01-01T00:00:00Z', dt2: '2024-01-01T00:00:00.001Z' }],
]);

table('&& || ! treat null as FALSE and always return a boolean', [
  [['b && TRUE', 'b || FALSE', 'NULL && TRUE', 'TRUE and FALSE', 'n < 1 || n >= 1'], false],
  [['b || TRUE', '!b', 'NOT b', '!NULL', 'TRUE AND TRUE', 'FALSE Or TRUE', '!(n < 1)'], true],
  ['!!b', true, { b: true }],
  ['not not b', false, { b: false }],
]);

table('precedence', [
  ...values({ '1 + 2 * 3': 7, '(1 + 2) * 3': 9, '7 % 4 * 2': 6, '2 * 7 % 4': 2 }),
  [['10 - 2 - 3', '100 / 10 / 2', '2 - -3'], 5],
  [['-2 * 3', '2 * -3'], -6],
  [['1 + 1 == 2', '1 < 2 == TRUE', 'TRUE == 1 < 2', 'FALSE == 1 > 2', 'TRUE || TRUE && FALSE'], true],
  [['FALSE && FALSE || TRUE', 'FALSE == TRUE || TRUE', '!TRUE == FALSE'], true],
  [['(TRUE || TRUE) && FALSE', 'NOT FALSE AND FALSE'], false],
  ['NOT b == b2', true, { b: false, b2: true }],
  ['NOT b == b2', false, { b: true, b2: true }],
]);

const numbers = [0, 0.3, 0.1 + 0.2, 1, 1 + 1e-15, 1 - 1e-16, 1e15, 1e15 + 1, 5e-324, -5e-324, LARGEST, -LARGEST];
const pairs = numbers.flatMap((n) => numbers.map((n2) => ({ n, n2 })));
it.each(pairs)('exactly one of <, ==, > holds between $n and $n2', (record) => {
  const holding = ['n < n2', 'n == n2', 'n > n2'].filter((source) => evaluate(source, record) === true);
  expect(holding).toHaveLength(1);
});

describe('the limit on text results', () => {
  const long = 'é'.repeat(4000);
  table('4,000 characters are kept, one more gives null', [
    ...values({ 't + ""': long, 't + "x"': null, 'BLANKVALUE(t + "x", "too long")': 'too long' }, { t: long }),
    ...values({ t: null, 'LEN(t)': 4001 }, { t: `${long}x` }),
    ['t', '😀'.repeat(4000), { t: '😀'.repeat(4000) }],
    ['t', `${'😀'.repeat(3999)}a`, { t: `${'😀'.repeat(3999)}a` }],
    ...['a'.repeat(4001), '😀'.repeat(4001), `${'😀'.repeat(3999)}ab`].map((t): Case => ['t', null, { t }]),
  ]);
});

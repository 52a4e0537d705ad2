import { describe, expect, it } from '@jest/globals';
import { evaluate, table, values } from '../test/evaluate.js';
import { signature } from './functions/definition.js';
import { functions } from './functions/index.js';
import { decimalText } from './values.js';

table('IF', [
  [['IF(TRUE, 1, 2)', 'IF(TRUE, 1)'], 1],
  [['IF(FALSE, 1, 2)', 'IF(b, 1, 2)', 'IF(NULL, 1, 2)'], 2],
  [['IF(FALSE, 1)', 'IF(TRUE, NULL, 1)', 'IF(TRUE, b)'], null],
  ['IF(n > 3, "big", "small")', 'big', { n: 4 }],
  ['IF(n > 3, "big", "small")', 'small'],
  ['if(b, d, d2)', '2024-01-02', { b: true, d: '2024-01-02' }],
  ['IF(b, IF(b2, 1, 2), 3)', 2, { b: true }],
  ['IF(TRUE, dt)', '2024-01-01T00:00:00Z', { dt: '2024-01-01T00:00:00Z' }],
]);

table('CONCAT', [
  ...values({ 'CONCAT("a")': 'a', 'CONCAT("a", t, "b")': 'ab', 'CONCAT(1, " ", TRUE)': '1 true' }),
  ['CONCAT(0.1 + 0.2)', '0.3'],
  [['CONCAT(NULL)', 'CONCAT(t)'], ''],
  ['CONCAT(d, "/", dt)', '2024-01-01/2024-01-01T05:06:07Z', { d: '2024-01-01', dt: '2024-01-01T05:06:07Z' }],
  ['CONCAT(m, "!")', 'x, y!', { m: ['x', 'y'] }],
  ['CONCAT(m)', '', { m: [] }],
  ['CONCAT(t, t)', null, { t: 'a'.repeat(2001) }],
  ['LEN(CONCAT(t, t))', 4000, { t: '😀'.repeat(2000) }],
]);

table('ROUND', [
  ...values({ 'ROUND(1.005, 2)': 1.01, 'ROUND(-2.5)': -3, 'ROUND(2.5)': 3, 'ROUND(0.5)': 1, 'ROUND(-0.5)': -1 }),
  ...values({ 'ROUND(0)': 0, 'ROUND(2.675, 2)': 2.68, 'ROUND(1.45, 1)': 1.5, 'ROUND(1234.5678, 2)': 1234.57 }),
  ...values({ 'ROUND(1234.5678, 0)': 1235, 'ROUND(1234.5678, -2)': 1200, 'ROUND(1250, -2)': 1300 }),
  ...values({ 'ROUND(5000, -4)': 10000, 'ROUND(1.239, 2.9)': 1.24, 'ROUND(155, -1.9)': 160 }),
  ...values({ 'ROUND(1 / 3, 1e300)': 0.333333333333333, 'ROUND(9.995, 2)': 10, 'ROUND(99.5)': 100 }),
  ...values({ 'ROUND(1e300, 2)': 1e300, 'ROUND(1e-320, 400)': 1e-320, 'ROUND(123456789012345.5)': 123456789012346 }),
  ['ROUND(-1.005, 2)', -1.01],
  [['ROUND(0.4)', 'ROUND(-0.4)', 'ROUND(1234, -4)', 'ROUND(4999, -4)', 'ROUND(9999, -5)', 'ROUND(1 / 3, -1e300)'], 0],
  [['ROUND(0.1 + 0.2, 20)', 'ROUND(0.1 + 0.2, 15)'], 0.3],
  ['ROUND(n)', null, { n: 1.7976931348623157e308 }],
  [['ROUND(n)', 'ROUND(1.5, n)', 'ROUND(1.5, NULL)'], null],
]);

table('ABS', [
  [['ABS(-3)', 'ABS(3)'], 3],
  ...values({ 'ABS(-0)': 0, 'ABS(-0.1 - 0.2)': 0.30000000000000004 }),
  [['ABS(n)', 'ABS(NULL)'], null],
]);

table('MIN and MAX', [
  ...values({ 'MIN(3, 1, 2)': 1, 'MAX(3, 1, 2)': 3, 'MIN("b", "a")': 'a', 'MAX("b", "B")': 'b' }),
  ['MAX("\\uFFFD", "😀")', '😀'],
  [['MIN(5)', 'MIN(n, 5)', 'MAX(n, 5, NULL)'], 5],
  [['MIN(n, n2)', 'MAX(n)'], null],
  ['MIN(d, d2)', '2024-01-01', { d: '2024-01-02', d2: '2024-01-01' }],
  ['MAX(d, TODAY())', '2024-02-29', { d: '2024-01-02' }],
  ['MAX(dt, dt2)', '2024-01-01T00:00:01Z', { dt: '2024-01-01T00:00:00Z', dt2: '2024-01-01T00:00:01Z' }],
  // Float64, not the 15-digit decimal, so that the greater of two equal decimals is the greater number.
  ...values({ 'MAX(0.3, 0.1 + 0.2)': 0.30000000000000004, 'MIN(0.1 + 0.2, 0.3)': 0.3 }),
]);

table('LEN', [
  [['LEN("")', 'LEN(t)', 'LEN(NULL)', 'LEN(m)'], 0],
  [['LEN("abc")', 'LEN("a😀b")'], 3],
  [['LEN("é")', 'LEN("😀")'], 1],
  ['LEN("e\\u0301")', 2],
  ['LEN(m)', 0, { m: [] }],
  ['LEN(m)', 4, { m: ['a', '😀'] }],
]);

table('UPPER and LOWER', [
  ...values({ 'UPPER("abc")': 'ABC', 'UPPER("straße")': 'STRASSE', 'UPPER("ﬁ")': 'FI', 'UPPER("i")': 'I' }),
  ...values({ 'UPPER("ŉ")': 'ʼN', 'LOWER("ABC")': 'abc', 'LOWER("ΟΔΟΣ")': 'οδος', 'LOWER("ΟΔΟΣ ΟΔΟΣ")': 'οδος οδος' }),
  ...values({ 'LOWER("Σ")': 'σ', 'LOWER("İ")': 'i̇', 'LOWER("I")': 'i' }),
  [['UPPER(t)', 'LOWER(NULL)'], null],
  ['UPPER(t)', null, { t: 'ß'.repeat(2001) }],
  ['UPPER(t)', 'SS'.repeat(2000), { t: 'ß'.repeat(2000) }],
  ['LOWER(t)', null, { t: 'İ'.repeat(2001) }],
]);

table('CONTAINS', [
  [['CONTAINS("abc", "b")', 'CONTAINS("abc", "")', 'CONTAINS("abc", NULL)', 'CONTAINS(t, t2)'], true],
  [['CONTAINS(NULL, "")', 'CONTAINS(m, "")'], true],
  [['CONTAINS("abc", "B")', 'CONTAINS(t, "a")', 'CONTAINS(NULL, "a")', 'CONTAINS(m, "Golf")'], false],
  ['CONTAINS(m, "Golf")', true, { m: ['Chess', 'Golf'] }],
  [['CONTAINS(m, "Gol")', 'CONTAINS(m, "Chess, Golf")'], false, { m: ['Chess', 'Golf'] }],
  ...values({ 'CONTAINS(m, "golf")': false, 'CONTAINS(m, NULL)': true }, { m: ['Golf'] }),
  ['CONTAINS(m, "Golf")', false, { m: 'Golf' }],
  ['CONTAINS(m, "Golf")', false, { m: ['Golf', 5] }],
]);

table('NUMBER', [
  ...values({ 'NUMBER("12")': 12, 'NUMBER("-12.50")': -12.5, 'NUMBER(TRUE)': 1 }),
  ['NUMBER(0.1 + 0.2)', 0.30000000000000004],
  [['NUMBER(" \\t\\r\\n7 ")', 'NUMBER("007")'], 7],
  [['NUMBER("-0")', 'NUMBER(FALSE)'], 0],
  [['NUMBER("")', 'NUMBER(" ")', 'NUMBER("1e5")', 'NUMBER("+1")', 'NUMBER(".5")', 'NUMBER("1.")'], null],
  [['NUMBER("1,000")', 'NUMBER("1 2")', 'NUMBER("\\u00a01")', 'NUMBER("٣")', 'NUMBER("- 1")', 'NUMBER("--1")'], null],
  [['NUMBER("Infinity")', 'NUMBER("0x10")', 'NUMBER("12abc")', 'NUMBER(t)', 'NUMBER(b)', 'NUMBER(NULL)'], null],
  ['NUMBER(t)', null, { t: '9'.repeat(400) }],
]);

table('TEXT', [
  ...values({ 'TEXT(1e21)': `1${'0'.repeat(21)}`, 'TEXT(1e-7)': '0.0000001', 'TEXT(0.1 + 0.2)': '0.3' }),
  ...values({ 'TEXT(1 / 3)': '0.333333333333333', 'TEXT(2 / 3)': '0.666666666666667', 'TEXT(-1.5)': '-1.5' }),
  ...values({ 'TEXT(100)': '100', 'TEXT(1.10)': '1.1', 'TEXT(123456789012345678)': '123456789012346000' }),
  ...values({ 'TEXT(1234567890123456)': '1234567890123460', 'TEXT(TRUE)': 'true', 'TEXT(FALSE)': 'false' }),
  ['TEXT("a")', 'a'],
  [['TEXT(-0)', 'TEXT(0)'], '0'],
  ['TEXT(n)', '-0.00000000000000000000123', { n: -1.23e-21 }],
  ['LEN(TEXT(n))', 340, { n: 5e-324 }],
  ['TEXT(n)', '999999999999999', { n: 999999999999999 }],
  ['TEXT(n)', '1000000000000000', { n: 999999999999999.9 }],
  [['TEXT(b)', 'TEXT(n)', 'TEXT(NULL)'], null],
  ['TEXT(d)', '0001-01-01', { d: '0001-01-01' }],
  ['TEXT(dt)', '2024-01-01T00:00:00Z', { dt: '2024-01-01T00:00:00.000Z' }],
  ['TEXT(dt)', '2024-01-01T00:00:00.1Z', { dt: '2024-01-01T00:00:00.100Z' }],
  ['TEXT(dt)', '2024-01-01T00:00:00.001Z', { dt: '2024-01-01T00:00:00.001Z' }],
  ['TEXT(m)', 'a, b', { m: ['a', 'b'] }],
  ['TEXT(m)', null, { m: [] }],
]);

table('BLANKVALUE', [
  ...values({ 'BLANKVALUE(t, "x")': 'x', 'BLANKVALUE(n, 0)': 0, 'BLANKVALUE(NULL, 1)': 1 }),
  ...values({ 'BLANKVALUE(n, NULL)': null, 'BLANKVALUE(d, TODAY())': '2024-02-29' }),
  ['BLANKVALUE(t, "x")', 'x', { t: '' }],
  ['BLANKVALUE(t, "x")', ' ', { t: ' ' }],
  ['BLANKVALUE(n, 1)', 0, { n: 0 }],
  ['BLANKVALUE(b, TRUE)', false, { b: false }],
]);

// Exact halves: 16 digits that a float64 holds exactly, the last a 5.
const halves: [number, string][] = [
  [0.5 + 2 ** 49, '562949953421312'],
  [562949953421313.5, '562949953421314'],
  [562949953421312.5, '562949953421312'],
  [1000000000000000.5 / 1, '1000000000000000'],
  [1000000000000005, '1000000000000000'],
  [1000000000000015, '1000000000000020'],
  [1000000000000025, '1000000000000020'],
  [-1000000000000025, '-1000000000000020'],
  [100000000000000.5, '100000000000000'],
  [100000000000001.5, '100000000000002'],
  [12345678901234.25, '12345678901234.2'],
  [12345678901234.75, '12345678901234.8'],
  [999999999999999.5, '1000000000000000'],
];
it.each(halves)('an exact half is rounded to the even 15th digit: TEXT of %d is %s', (n, text) =>
  expect(evaluate('TEXT(n)', { n })).toBe(text),
);

describe('the documentation of the functions', () => {
  it('covers the fifteen functions of the language', () => expect([...functions.keys()]).toHaveLength(15));

  // The reference, which its test makes, computes the results of the examples.
  it.each([...functions.values()])('$name has a summary and examples', (definition) => {
    expect(signature(definition)).toContain(`${definition.name}(`);
    expect(definition.doc.summary).not.toBe('');
    expect(definition.doc.examples.length).toBeGreaterThan(0);
  });
});

it.each([
  [1.23456789012345e-8, '0.0000000123456789012345'],
  [1.23456789012347e-9, '0.00000000123456789012347'],
  [3e-8, '0.00000003'],
  [1.23456789012345e39, '1234567890123450000000000000000000000000'],
  [-1.23456789012347e-12, '-0.00000000000123456789012347'],
])('the decimal of %d, very large or very small, keeps its last digit, odd or even', (value, text) =>
  expect(decimalText(value)).toBe(text),
);

import { describe, expect, it } from '@jest/globals';
import { eachSource, errorsOf, FIELDS } from '../test/evaluate.js';
import { checkFormula } from './checker.js';
import { compileFormula } from './compile.js';
import { FormulaCompileError } from './errors.js';

eachSource<[expected: string[]]>([
  [['"a" - 1', 'd + 1', 'n && b', 'TRUE >= NULL', 'm', 'm == NULL', 'm + 1'], ['TYPE_MISMATCH@0']],
  [['1 * TRUE', '1 + b', 'MIN(b)', 'ABS("1")', 'LEN(1)'], ['TYPE_MISMATCH@4']],
  [
    ['d - d2', 'b < b2'],
    ['TYPE_MISMATCH@0', 'TYPE_MISMATCH@4'],
  ],
  [['-t', '!n'], ['TYPE_MISMATCH@1']],
  ['NOT n == n2', ['TYPE_MISMATCH@4', 'TYPE_MISMATCH@6']],
  ['b || "true"', ['TYPE_MISMATCH@5']],
  [['n == "1"', 'b == 1', 'd == "2024-01-01"'], ['TYPE_MISMATCH@2']],
  ['IF(n, 1, 2)', ['TYPE_MISMATCH@3']],
  [['IF(b, 1, "a")', 'IF(b, d, dt)', 'ROUND(1, "2")', 'CONTAINS(n, "1")'], ['TYPE_MISMATCH@9']],
  [['MIN(1, "a")', 'MAX(d, dt)', 'NUMBER(d)'], ['TYPE_MISMATCH@7']],
  ['BLANKVALUE(n, "x")', ['TYPE_MISMATCH@14']],
  [['UPPER(n)', 'LOWER(m)', 'IF(b, m)'], ['TYPE_MISMATCH@6']],
  ['CONTAINS(m, m)', ['TYPE_MISMATCH@12']],
  ['DAYS_BETWEEN(d, 5)', ['TYPE_MISMATCH@16']],
  ['m == m', ['TYPE_MISMATCH@0', 'TYPE_MISMATCH@5']],
  ['BLANKVALUE(m, "x")', ['TYPE_MISMATCH@11']],
])('values are never converted implicitly: %s has %j', (source, expected) =>
  expect(errorsOf(source)).toEqual(expected),
);

describe('NULL gets the type its place requires, and a formula must have a type', () => {
  it.each(['NULL', 'IF(b, NULL)', 'MIN(NULL)', 'MAX(NULL, NULL)', 'BLANKVALUE(NULL, NULL)', 'IF(NULL, NULL, NULL)'])(
    '%s has no type',
    (source) => expect(errorsOf(source)).toEqual(['NO_TYPE@0']),
  );

  eachSource<[type: string]>([
    [['UPPER(NULL)', 'NULL + "a"', 'MIN(NULL, "a")', 'TEXT(NULL)'], 'text'],
    [['NULL + 1', 'NULL + NULL', '-NULL', 'DAYS_BETWEEN(NULL, dt)'], 'number'],
    [['!NULL', 'NULL < NULL', 'NULL == d', 'IF(b, NULL) == 1', 'CONTAINS(NULL, NULL)'], 'boolean'],
    ['IF(b, NULL, d)', 'date'],
    ['IF(b, IF(b2, NULL), dt)', 'datetime'],
  ])('%s is %s', (source, type) => {
    const checked = checkFormula(source, FIELDS);
    expect(checked.errors).toEqual([]);
    expect(checked.resultType).toBe(type);
  });

  it('leaves no NULL untyped in the tree', () => {
    const { tree } = checkFormula('IF(b, IF(b2, NULL, MIN(NULL)), dt) == NULL', FIELDS);
    expect(JSON.stringify(tree)).not.toContain('"type":"null"');
  });
});

describe('the number of arguments', () => {
  eachSource<[expected: string[]]>([
    [['IF(b)', 'IF(b, 1, 2, 3)', 'CONCAT()', 'ROUND()', 'ROUND(1, 2, 3)', 'ABS(1, 2)', 'MIN()'], ['WRONG_ARITY@0']],
    [['LEN()', 'CONTAINS("a")', 'TODAY(1)', 'DAYS_BETWEEN(d)', 'NUMBER()', 'BLANKVALUE(1)'], ['WRONG_ARITY@0']],
    ['FOO(1, bar)', ['UNKNOWN_FUNCTION@0', 'UNKNOWN_FIELD@7']],
  ])('%s: %j', (source, expected) => expect(errorsOf(source)).toEqual(expected));

  it.each([
    ['ABS(1, 2)', 'ABS(number) accepts 1 argument, not 2'],
    ['CONTAINS("a")', 'CONTAINS(text, part) accepts 2 arguments, not 1'],
    ['CONCAT()', 'CONCAT(value, …) accepts at least 1 argument, not 0'],
    ['IF(b)', 'IF(condition, then, else?) accepts 2 to 3 arguments, not 1'],
    ['TODAY(1)', 'TODAY() accepts 0 arguments, not 1'],
  ])('%s: %s', (source, message) => expect(checkFormula(source, FIELDS).errors[0]!.message).toBe(message));
});

describe('the result of a check', () => {
  eachSource<[type: string, nullable: boolean]>([
    [['1', '-1', 'LEN(t)', 'BLANKVALUE(n, 0)', 'IF(b, 1, 2)', 'MIN(n, 1)'], 'number', false],
    ['DAYS_BETWEEN(TODAY(), TODAY())', 'number', false],
    [['n', 'n + 1', 'BLANKVALUE(n, n2)', 'IF(b, 1)', 'MAX(n, n2)'], 'number', true],
    [['n == 1', '1 < 2', 'b && b2', '!b', 'CONTAINS(t, "a")', 'MAX("a", t) == "a"'], 'boolean', false],
    ['n < 1', 'boolean', true],
    ['TODAY()', 'date', false],
    [['CONCAT("a")', 'BLANKVALUE(t, "a")'], 'text', true],
    ['"a"', 'text', false],
  ])('%s is %s, nullable %s', (source, type, nullable) => {
    const checked = checkFormula(source, FIELDS);
    expect([checked.ok, checked.resultType, checked.nullable]).toEqual([true, type, nullable]);
  });

  it('lists the names a formula reads, each once, in source order', () => {
    expect(checkFormula('IF(b, n + n2, n) == LEN(t)', FIELDS).dependencies).toEqual(['b', 'n', 'n2', 't']);
    expect(checkFormula('1 + missing +', FIELDS).dependencies).toEqual(['missing']);
  });

  it('has an error when the formula does not have the requested type', () => {
    expect(errorsOf('n > 1', { expected: 'boolean' })).toEqual([]);
    expect(errorsOf('n + 1', { expected: 'boolean' })).toEqual(['TYPE_MISMATCH@0']);
    expect(errorsOf('foo', { expected: 'boolean', untypedNames: true })).toEqual([]);
  });

  it('depends only on own properties of the fields', () => {
    expect(checkFormula('constructor', {}).errors.map((error) => error.code)).toEqual(['UNKNOWN_FIELD']);
    expect(checkFormula('toString', {}).errors.map((error) => error.code)).toEqual(['UNKNOWN_FIELD']);
    expect(checkFormula('get + size', { get: 'number', size: 'number' }).ok).toBe(true);
    expect(checkFormula('__proto__', new Map([['__proto__', 'text']])).ok).toBe(true);
    const context = { now: new Date(0) };
    expect(compileFormula('constructor', new Map([['constructor', 'text']])).evaluate({}, context)).toBeNull();
    const record = JSON.parse('{"__proto__": "own"}') as Record<string, unknown>;
    expect(compileFormula('__proto__', {}, { untypedNames: true }).evaluate(record, context)).toBe('own');
    expect(compileFormula('__proto__', {}, { untypedNames: true }).evaluate({}, context)).toBeNull();
  });

  it('can be compiled only when it has no error', () => {
    expect(() => compileFormula('1 +', {})).toThrow(FormulaCompileError);
    expect(() => compileFormula('foo', {})).toThrow(/Unknown field "foo" \(column 1\)/);
    const checked = checkFormula('n * 2', FIELDS);
    expect(compileFormula(checked, FIELDS).evaluate({ n: 4 }, { now: new Date(0) })).toBe(8);
  });
});

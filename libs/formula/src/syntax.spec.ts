import { describe, expect, it } from '@jest/globals';
import { eachSource, errorsOf, FIELDS } from '../test/evaluate.js';
import { checkFormula } from './checker.js';

eachSource<[expected: string[]]>([
  ['', ['EMPTY@0']],
  [' \t\r\n', ['EMPTY@4']],
  [['#', '$n'], ['UNEXPECTED_CHARACTER@0']],
  [['1 # 2', 'n = 1', 'n === 1', 'n <> 1', 'b & b2', 'b | b2', 'n => 1', 'n ^ 2'], ['UNEXPECTED_CHARACTER@2']],
  [['1\u00a0+ 2', 'n.t'], ['UNEXPECTED_CHARACTER@1']],
  ['n // comment', ['UNEXPECTED_TOKEN@3', 'UNKNOWN_FIELD@5']],
  ['[1]', ['UNEXPECTED_CHARACTER@0', 'UNEXPECTED_CHARACTER@2']],
  [['"abc', '"abc\\'], ['UNTERMINATED_TEXT@0']],
  ['1 + \'abc"', ['UNTERMINATED_TEXT@4']],
  ['"a\\b"', ['INVALID_ESCAPE@2']],
  [['"\\u12"', '"\\x41"'], ['INVALID_ESCAPE@1']],
  [['"\\u0000"', '"\0"', '"\\uD800"', '"\ud800"', '"\\uDE00\\uD83D"', '"\\uD83D\udE00"'], ['INVALID_TEXT@0']],
  ['"\udE00\\uD83D"', ['INVALID_TEXT@0']],
  [['.5', '1.', '1.+2', '0x1', '1e', '1e+', '1E5', '1e5.5', '1.2.3', '12n', '1_000', '1e309'], ['INVALID_NUMBER@0']],
  [['1 +', 'ABS(1'], ['UNEXPECTED_END@3']],
  [['1 + )', '1 + +1', 'MIN(,1)', 'TRUE(1)'], ['UNEXPECTED_TOKEN@4']],
  [['+1', '* 2'], ['UNEXPECTED_TOKEN@0']],
  [['1 2', 'n t', 'n !b', '(1, 2)'], ['UNEXPECTED_TOKEN@2']],
  ['(1', ['UNEXPECTED_END@0']],
  [['1)', '()'], ['UNEXPECTED_TOKEN@1']],
  ['ABS(', ['UNEXPECTED_END@3', 'UNEXPECTED_END@4']],
  ['MIN(1,)', ['UNEXPECTED_TOKEN@6']],
  ['AND(b, b2)', ['UNEXPECTED_TOKEN@0', 'UNEXPECTED_TOKEN@5']],
  ['1 < 2 < 3', ['TYPE_MISMATCH@0', 'CHAINED_COMPARISON@6']],
  [['b == b2 == b', 'n == n2 != b'], ['CHAINED_COMPARISON@8']],
  ['"😀😀" = n', ['TYPE_MISMATCH@5', 'UNEXPECTED_CHARACTER@5']],
])('each mistake in the source %j has a code and a position: %j', (source, expected) =>
  expect(errorsOf(source).sort(byPosition)).toEqual([...expected].sort(byPosition)),
);

const byPosition = (a: string, b: string) =>
  Number(a.split('@')[1]) - Number(b.split('@')[1]) || (a < b ? -1 : a > b ? 1 : 0);

describe('several mistakes are reported at once', () => {
  it('finds unknown names, wrong types and bad characters in one check', () => {
    const found = ['UNKNOWN_FIELD@0', 'TYPE_MISMATCH@12', 'UNEXPECTED_CHARACTER@17', 'UNEXPECTED_CHARACTER@25'];
    expect(errorsOf('foo + ROUND("a") # BAR(1 = 2)')).toEqual(found);
  });

  it('continues after a missing operand', () => {
    expect(errorsOf('MIN(1, , foo) + ABS(bar)')).toEqual(['UNEXPECTED_TOKEN@7', 'UNKNOWN_FIELD@9', 'UNKNOWN_FIELD@20']);
  });

  eachSource<[error: string]>([
    ['MAX(1 2 3 4, 5)', 'UNEXPECTED_TOKEN@6'],
    [['1 2 3 4', '1 ) ) , )', 'n ! ! b'], 'UNEXPECTED_TOKEN@2'],
    ['(1 2 "a" n)', 'UNEXPECTED_TOKEN@3'],
  ])('reports a run of unexpected tokens once, at its start: %s', (source, error) => {
    expect(errorsOf(source)).toEqual([error]);
  });

  it('continues to check after unexpected tokens', () => {
    expect(errorsOf('MAX(1 2 + n, foo)')).toEqual(['UNEXPECTED_TOKEN@6', 'UNKNOWN_FIELD@13']);
    expect(errorsOf('1 2 (3')).toEqual(['UNEXPECTED_TOKEN@2', 'UNEXPECTED_END@4']);
    expect(errorsOf('1) + (n')).toEqual(['UNEXPECTED_TOKEN@1', 'UNEXPECTED_END@5']);
  });

  it('reports each of a run of misplaced plus signs', () => {
    expect(errorsOf('++n')).toEqual(['UNEXPECTED_TOKEN@0', 'UNEXPECTED_TOKEN@1']);
    expect(errorsOf('n + + - + foo')).toEqual(['UNEXPECTED_TOKEN@4', 'UNEXPECTED_TOKEN@8', 'UNKNOWN_FIELD@10']);
    expect(errorsOf('#+1')).toEqual(['UNEXPECTED_CHARACTER@0']);
    expect(errorsOf('+'.repeat(4000))).toHaveLength(25);
    expect(errorsOf(`n${'+'.repeat(3999)}`)).toHaveLength(25);
  });

  it('stops at 25 errors', () => expect(errorsOf(`${'foo + '.repeat(50)}1`)).toHaveLength(25));
});

eachSource<[message: string]>([
  ['#', '"#" is not part of the formula language'],
  ['1\u00a0+ 2', 'The character U+00A0 is not part of the formula language'],
  ['\u{1F600}', '"\u{1F600}" is not part of the formula language'],
  ['1 + )', 'A value is expected before ")"'],
  ['1 +', 'The formula ends where a value is expected'],
  ['+1', 'Unary "+" isn\'t supported. Leave it out'],
  ['1 2', "the number isn't expected here"],
  ['1 "a"', "the text isn't expected here"],
  ['"a', 'The string isn\'t closed with "'],
  ['"\\q"', '\\q is not an escape: use \\\\ \\" \\\' \\n \\r \\t or \\u and four hexadecimal digits'],
  ['', 'The formula is empty'],
  ['b < b2', 'Booleans have no order. Compare them with "==" or "!="'],
  [['m < "a"', 'm == "a"'], "A multi-select can't be compared. Use CONTAINS or LEN"],
])('the message for a mistake in %j: %s', (source, message) =>
  expect(checkFormula(source, FIELDS).errors[0]!.message).toBe(message),
);

describe('the errors of a formula:', () => {
  it.each([
    ['n = "a"', 2, 1],
    ['n === "a"', 2, 3],
    ['n == "a"', 2, 2],
  ])('the type mismatch in %s is at %i, over %i characters', (source, position, length) => {
    const errors = checkFormula(source, { n: 'number' }).errors;
    expect(errors.find(({ code }) => code === 'TYPE_MISMATCH')).toMatchObject({ position, length });
  });

  it('surplus arguments are not checked against a parameter', () => {
    expect(errorsOf('LEN("a", 2)')).toEqual(['WRONG_ARITY@0']);
    expect(errorsOf('ABS(1, TRUE, foo)')).toEqual(['WRONG_ARITY@0', 'UNKNOWN_FIELD@13']);
  });
});

describe('the suggestion for', () => {
  const suggestions: Record<string, string | undefined>[] = [
    { 'n = 1': '==', 'n <> 1': '!=', 'b & b': '&&', 'b | b': '||' },
    { '.5': '0.5', '2.': '2', '1E5': '1e5', '0xff': '255' },
    { 'CONCATT("a")': 'CONCAT', 'Rond(1)': 'ROUND', 'TDOAY()': 'TODAY', TODAY: 'TODAY()' },
    { N: 'n', ture: 'TRUE', nul: 'NULL', xyzzy: undefined, 'FOOBAR(1)': undefined, '1x': undefined },
  ];
  it.each(suggestions.flatMap((row) => Object.entries(row)))('%s: %s', (source, suggestion) => {
    expect(checkFormula(source, { n: 'number', b: 'boolean' }).errors[0]!.suggestion).toBe(suggestion);
  });

  it('an unknown field is the nearest field', () => {
    const fields = new Map(Object.entries({ close_date: 'date', amount: 'number' } as const));
    expect(checkFormula('amuont', fields).errors[0]).toEqual({
      code: 'UNKNOWN_FIELD',
      message: 'Unknown field "amuont"; did you mean amount?',
      position: 0,
      length: 6,
      suggestion: 'amount',
    });
    expect(checkFormula('closedate', fields).errors[0]!.suggestion).toBe('close_date');
    expect(checkFormula('TODAY', { todays: 'date' }).errors[0]!.suggestion).toBe('TODAY()');
    expect(checkFormula('today', { Today: 'date' }).errors[0]!.suggestion).toBe('Today');
    expect(checkFormula('x'.repeat(100), fields).errors[0]!.suggestion).toBeUndefined();
  });
});

describe('a formula', () => {
  const parens = (count: number) => `${'('.repeat(count)}1${')'.repeat(count)}`;

  it('has at most 4,000 characters, counted in code points', () => {
    expect(errorsOf(`"${'😀'.repeat(3998)}"`)).toEqual([]);
    expect(errorsOf(`"${'😀'.repeat(3999)}"`)).toEqual(['TOO_LONG@4000']);
    expect(errorsOf(' '.repeat(100_000))).toEqual(['TOO_LONG@4000']);
    expect(errorsOf(`1${' '.repeat(3999)}`)).toEqual([]);
    expect(errorsOf(`1${' '.repeat(4000)}`)).toEqual(['TOO_LONG@4000']);
  });

  it('has at most 500 nodes', () => {
    expect(errorsOf(`n${' + 1'.repeat(249)}`)).toEqual([]);
    expect(errorsOf(`-n${' + 1'.repeat(249)}`)).toEqual([]);
    expect(errorsOf(`--n${' + 1'.repeat(249)}`)).toEqual([`TOO_MANY_NODES@${3 + 4 * 249 - 1}`]);
    expect(checkFormula(`n${' + 1'.repeat(250)}`, FIELDS).tree).toBeUndefined();
    expect(errorsOf(`n${' + 1'.repeat(250)}`)).toEqual([`TOO_MANY_NODES@${1 + 4 * 250 - 1 - 2 + 2}`]);
  });

  it('has at most 50 open parentheses, calls and unary operators', () => {
    expect(errorsOf(parens(50))).toEqual([]);
    expect(errorsOf(parens(51))).toEqual(['TOO_DEEP@50']);
    expect(errorsOf(`${'-'.repeat(50)}n`)).toEqual([]);
    expect(errorsOf(`${'-'.repeat(51)}n`)).toEqual(['TOO_DEEP@50']);
    expect(errorsOf(`${'ABS('.repeat(50)}n${')'.repeat(50)}`)).toEqual([]);
    expect(errorsOf(`${'ABS('.repeat(51)}n${')'.repeat(51)}`)).toEqual(['TOO_DEEP@203']);
    expect(errorsOf(`${'-ABS('.repeat(25)}n${')'.repeat(25)}`)).toEqual([]);
    expect(errorsOf('('.repeat(4000))).toEqual(['TOO_DEEP@50']);
  });

  it('may chain more operators than the depth limit', () => expect(errorsOf(`n${' * (1)'.repeat(200)}`)).toEqual([]));
});

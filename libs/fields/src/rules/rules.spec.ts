import { describe, expect, it, jest } from '@jest/globals';
import { compilePattern } from '../pattern.js';
import { rules } from '../rules.js';
import { RULE_TYPE_NAMES, type RuleTypeName } from '../types/field-type.js';

// Many runs, on a machine that may be busy with other test files.
jest.setTimeout(60_000);

type Result = [type: RuleTypeName, ruleValue: unknown, value: unknown, passes: boolean];

it('every rule is registered once, in order', () => expect([...rules.keys()]).toEqual(RULE_TYPE_NAMES));

/** Patterns, each with a text that it matches or not. */
const matching = (passes: boolean, texts: Record<string, string>) =>
  Object.entries(texts).map(([pattern, text]): Result => ['regex', pattern, text, passes]);
it.each<Result>([
  ['min', 5, 5, true],
  ['min', 5, 4.999, false],
  ['min', 5, 6, true],
  ['min', -1, -2, false],
  ['min', 0.3, 0.1 + 0.2, true],
  ['min', 0.1 + 0.2, 0.3, true],
  ['max', 5, 5, true],
  ['max', 5, 5.001, false],
  ['max', 0.3, 0.1 + 0.2, true],
  ['max', 0, -1, true],
  ['minLength', 3, 'abc', true],
  ['minLength', 3, 'ab', false],
  ['minLength', 1, '😀', true],
  ['minLength', 2, '😀', false],
  ['minLength', 0, '', true],
  ['maxLength', 3, 'abc', true],
  ['maxLength', 3, 'abcd', false],
  ['maxLength', 1, '😀', true],
  ['maxLength', 1, 'e\u0301', false],
  ['maxLength', 0, '', true],
  ...matching(true, { b: 'abc', '^[a-z]+$': 'abc', '(?i)^ABC$': 'abc', '^\\p{L}+$': 'Ünï', '^.$': '😀', '': 'x' }),
  ...matching(true, { '^\\d{3}-\\d{4}$': '555-1234' }),
  ...matching(false, { '^b': 'abc', '^[a-z]+$': 'abC', '^\\d{3}-\\d{4}$': '555-12345', '^a$': 'a\n', '(?=a)': 'a' }),
  ['regex', 5, '5', false],
  ['min', '5', 6, false],
  ['max', null, 6, false],
  ['minLength', '1', 'abc', false],
  ['maxLength', undefined, 'abc', false],
])('the result of the rule %s %j with %j: %s', (type, ruleValue, value, passes) => {
  expect(rules.get(type)!.passes(value, ruleValue)).toBe(passes);
});

const coded = (type: RuleTypeName, code: string | null, ...values: unknown[]) =>
  values.map((value) => [type, value, code] as const);
it.each([
  ...coded('min', null, 0, -1.5),
  ...coded('min', 'RULE_VALUE_INVALID', '0', Number.NaN),
  ...coded('max', 'RULE_VALUE_INVALID', Infinity, null),
  ...coded('minLength', null, 0),
  ...coded('minLength', 'RULE_VALUE_INVALID', -1, 1.5),
  ...coded('maxLength', null, 10),
  ...coded('maxLength', 'RULE_VALUE_INVALID', '10', 1e300),
  ...coded('regex', null, '^a+$', 'x'.repeat(500)),
  ...coded('regex', 'RULE_VALUE_INVALID', 5),
  ...coded('regex', 'RULE_PATTERN_INVALID', '[', '*', '(', '(?=a)', '(?<!a)b', '(a)\\1', 'a{1001}'),
  ...coded('regex', 'RULE_PATTERN_INVALID', '(a{1000}){1000}'),
  ...coded('regex', 'RULE_PATTERN_INVALID', `[ab]*a${'[ab]{1000}'.repeat(45)}[xy]`, '[ab]{1000}[ab]{1000}[ab]{1000}'),
  ...coded('regex', 'RULE_PATTERN_INVALID', 'x'.repeat(501)),
])('the problem of the rule definition %s %j: %s', (type, value, code) =>
  expect(rules.get(type)!.checkValue(value)?.code ?? null).toBe(code),
);

describe('a pattern', () => {
  it('is compiled once', () => {
    expect(compilePattern('^once$')).toBe(compilePattern('^once$'));
    const first = compilePattern('^first$');
    for (let index = 0; index < 1001; index++) compilePattern(`^p${index}$`);
    expect(compilePattern('^first$')).not.toBe(first);
  });

  const ab = (length: number) => Array.from({ length }, (_, index) => ((index * 7919) % 13 > 5 ? 'a' : 'b')).join('');
  it.each([
    ['^(a+)+$', `${'a'.repeat(100_000)}!`],
    ['^([a-zA-Z]+)*$', `${'a'.repeat(100_000)}1`],
    ['^(a|aa)+$', `${'a'.repeat(100_000)}b`],
    ['^(a|a?)+$', `${'a'.repeat(100_000)}b`],
    ['^(.*a){20}$', `${'a'.repeat(50_000)}b`],
    ['(x+x+)+y', `${'x'.repeat(100_000)}z`],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(100_000)],
    ['(.*)(.*)(.*)(.*)(.*)[^a]$', 'a'.repeat(100_000)],
    ['(?:a|b)*a(?:a|b){300}c$', `${ab(50_000)}cc`],
    ['(a?){300}(b?){300}c$', `${ab(50_000)}c!`],
    ['[ab]*a[ab]{1000}[ab]{1000}[xy]', ab(5_000)],
    ['^([\\w.-]+)+@(([\\w-]+\\.)+)+$', `${'a.'.repeat(50_000)}@`],
    ['\\b(\\w+\\s?)+\\b$', `${'ab '.repeat(33_000)}!`],
  ])('%s finishes quickly on a long text', (pattern, text) => {
    const start = performance.now();
    expect(compilePattern(pattern)!.test(text)).toBe(false);
    expect(performance.now() - start).toBeLessThan(5000);
  });
});

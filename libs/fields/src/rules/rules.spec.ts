import { describe, expect, it, jest } from '@jest/globals';
import { compilePattern } from '../pattern.js';
import { rules } from '../rules.js';
import { RULE_TYPE_NAMES, type RuleTypeName } from '../types/field-type.js';

// Many runs, on a machine that may be busy with other test files.
jest.setTimeout(60_000);

it('every rule is registered once, in order', () => expect([...rules.keys()]).toEqual(RULE_TYPE_NAMES));

describe('the result of the rule', () => {
  it.each<[RuleTypeName, unknown, unknown, boolean]>([
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
    ['regex', 'b', 'abc', true],
    ['regex', '^b', 'abc', false],
    ['regex', '^[a-z]+$', 'abc', true],
    ['regex', '^[a-z]+$', 'abC', false],
    ['regex', '(?i)^ABC$', 'abc', true],
    ['regex', '^\\p{L}+$', 'Ünï', true],
    ['regex', '^.$', '😀', true],
    ['regex', '', 'x', true],
    ['regex', '^\\d{3}-\\d{4}$', '555-1234', true],
    ['regex', '^\\d{3}-\\d{4}$', '555-12345', false],
    ['regex', '^a$', 'a\n', false],
    ['regex', '(?=a)', 'a', false],
    ['regex', 5, '5', false],
    ['min', '5', 6, false],
    ['max', null, 6, false],
    ['minLength', '1', 'abc', false],
    ['maxLength', undefined, 'abc', false],
  ])('%s %j with %j: %s', (type, ruleValue, value, passes) => {
    expect(rules.get(type)!.passes(value, ruleValue)).toBe(passes);
  });
});

describe('the problem of the rule definition', () => {
  it.each<[RuleTypeName, unknown, string | null]>([
    ['min', 0, null],
    ['min', -1.5, null],
    ['min', '0', 'RULE_VALUE_INVALID'],
    ['min', Number.NaN, 'RULE_VALUE_INVALID'],
    ['max', Infinity, 'RULE_VALUE_INVALID'],
    ['max', null, 'RULE_VALUE_INVALID'],
    ['minLength', 0, null],
    ['minLength', -1, 'RULE_VALUE_INVALID'],
    ['minLength', 1.5, 'RULE_VALUE_INVALID'],
    ['maxLength', 10, null],
    ['maxLength', '10', 'RULE_VALUE_INVALID'],
    ['maxLength', 1e300, 'RULE_VALUE_INVALID'],
    ['regex', '^a+$', null],
    ['regex', 5, 'RULE_VALUE_INVALID'],
    ['regex', '[', 'RULE_PATTERN_INVALID'],
    ['regex', '(?=a)', 'RULE_PATTERN_INVALID'],
    ['regex', '(?<!a)b', 'RULE_PATTERN_INVALID'],
    ['regex', '(a)\\1', 'RULE_PATTERN_INVALID'],
    ['regex', 'a{1001}', 'RULE_PATTERN_INVALID'],
    ['regex', '(a{1000}){1000}', 'RULE_PATTERN_INVALID'],
    ['regex', `[ab]*a${'[ab]{1000}'.repeat(45)}[xy]`, 'RULE_PATTERN_INVALID'],
    ['regex', '[ab]{1000}[ab]{1000}[ab]{1000}', 'RULE_PATTERN_INVALID'],
    ['regex', 'x'.repeat(500), null],
    ['regex', 'x'.repeat(501), 'RULE_PATTERN_INVALID'],
    ['regex', '*', 'RULE_PATTERN_INVALID'],
    ['regex', '(', 'RULE_PATTERN_INVALID'],
  ])('%s %j: %s', (type, value, code) => {
    expect(rules.get(type)!.checkValue(value)?.code ?? null).toBe(code);
  });
});

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

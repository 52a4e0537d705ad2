import { describe, expect, it } from '@jest/globals';
import { checkDefinition } from './check-definition.js';
import type { FieldDefinition } from './field-definition.js';
import { compiledSize, PatternBudget } from './pattern.js';
import type { FieldProblem } from './problem.js';
import { validateValue } from './validate-record.js';

/** As slow as a pattern may be. */
const SLOW = '^(?:.?.?.?.?){300}[^a]$';

const field = (apiName: string, definition: Partial<FieldDefinition>, ...rules: [string, unknown][]): FieldDefinition =>
  ({ apiName, ...definition, validationRules: rules.map(([type, value]) => ({ type, value })) }) as FieldDefinition;
const codes = (problems: readonly FieldProblem[]) => problems.map(({ code, pointer }) => `${code} ${pointer}`);
const INVALID = ['RULE_PATTERN_INVALID /0/validationRules/0/value'];
const line = (more: Partial<FieldDefinition> = {}) => field('f', { type: 'text', ...more }, ['regex', SLOW]);
const lines = (...rules: [string, unknown][]) => field('f', { type: 'textarea' }, ...rules);

describe('the patterns of a package', () => {
  it('are measured by their compiled instructions', () => {
    expect(compiledSize('a')).toBeLessThan(10);
    expect(compiledSize(SLOW)).toBeGreaterThan(2400);
    expect(compiledSize('(')).toBe(1);
    expect(compiledSize('x'.repeat(501))).toBe(0);
  });

  it.each<[string, FieldDefinition, string[]]>([
    ['for a single line', line(), []],
    ['for a long text', lines(['regex', SLOW]), INVALID],
    ['for a long text: a typical pattern', lines(['regex', '^[A-Z]{2,5}-\\d{1,40}$']), []],
    ['for a long text with a sufficient maxLength', lines(['regex', SLOW], ['maxLength', 9000]), []],
    ['for a long text with a maxLength that is too large', lines(['regex', SLOW], ['maxLength', 90_000]), INVALID],
    ['with a short default', line({ default: 'b'.repeat(800) }), []],
    ['with a long default', line({ default: 'b'.repeat(900) }), ['DEFAULT_INVALID /0/default']],
  ])('have a limited time %s', (_where, definition, expected) => {
    expect(codes(checkDefinition([definition]))).toEqual(expected);
  });

  it('may together take half a second per record', () => {
    const fields = Array.from({ length: 12 }, (_, index) => field(`f${index}`, { type: 'text' }, ['regex', SLOW]));
    expect(codes(checkDefinition(fields))).toEqual([
      'RULE_PATTERN_INVALID /10/validationRules/0/value',
      'RULE_PATTERN_INVALID /11/validationRules/0/value',
    ]);
    // The records of another object count separately.
    const budget = new PatternBudget();
    expect(checkDefinition(fields.slice(0, 10), budget)).toEqual([]);
    expect(checkDefinition(fields.slice(0, 10), budget)).toEqual([]);
  });

  it('have a limited number of instructions for all objects together', () => {
    const budget = new PatternBudget();
    const object = () => checkDefinition([line()], budget);
    const accepted = Array.from({ length: 83 }, object);
    expect(accepted.flat()).toEqual([]);
    expect(object()).toEqual([]);
    expect(object()).toMatchObject([{ code: 'RULE_PATTERN_INVALID', detail: expect.stringContaining('too many') }]);
  });

  it('are checked on defaults with a limited number of steps for all objects together', () => {
    const budget = new PatternBudget();
    const object = () => checkDefinition([line({ default: 'b'.repeat(400) })], budget);
    expect([object(), object()].flat()).toEqual([]);
    expect(codes(object())).toEqual(['DEFAULT_INVALID /0/default']);
  });

  it('are not matched against a value longer than the field allows', () => {
    const problems: FieldProblem[] = [];
    validateValue(field('f', { type: 'text' }, ['regex', '^b'], ['maxLength', 3]), 'aaaa', {}, problems);
    expect(problems).toMatchObject([{ code: 'TOO_LONG' }]);
    validateValue(field('g', { type: 'text' }, ['regex', '^b'], ['maxLength', 3]), 'aaa', {}, problems);
    expect(problems[1]).toMatchObject({ code: 'PATTERN_MISMATCH' });
  });
});

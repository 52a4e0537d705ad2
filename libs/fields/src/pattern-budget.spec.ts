import { describe, expect, it } from '@jest/globals';
import { checkDefinition } from './check-definition.js';
import type { FieldDefinition } from './field-definition.js';
import { compiledSize, PatternBudget } from './pattern.js';
import type { FieldProblem } from './problem.js';
import { recordValidation, validateRecord, validateValue } from './validate-record.js';

/** A pattern may be this large. */
const SLOW = '^(?:.?.?.?.?){300}[^a]$';

const field = (apiName: string, definition: Partial<FieldDefinition>, ...rules: [string, unknown][]): FieldDefinition =>
  ({ apiName, ...definition, validationRules: rules.map(([type, value]) => ({ type, value })) }) as FieldDefinition;
const codes = (problems: readonly FieldProblem[]) => problems.map(({ code, pointer }) => `${code} ${pointer}`);
const INVALID = ['RULE_PATTERN_INVALID /0/validationRules/0/value'];
/** For a value of any length that a single line may have, the slowest that it may. */
const WIDE = '^(?:.?.?.?.?){10}[^a]$';
const slow = (apiName: string, more: Partial<FieldDefinition> = {}) =>
  field(apiName, { type: 'text', ...more }, ['regex', SLOW], ['maxLength', 200]);
const line = (more: Partial<FieldDefinition> = {}) => slow('f', more);
const lines = (...rules: [string, unknown][]) => field('f', { type: 'textarea' }, ...rules);

describe('the patterns of a package', () => {
  it('are measured by their compiled instructions', () => {
    expect(compiledSize('a')).toBeLessThan(10);
    expect(compiledSize(SLOW)).toBeGreaterThan(2400);
    expect(compiledSize('(')).toBe(1);
    expect(compiledSize('x'.repeat(501))).toBe(0);
  });

  it.each<[string, FieldDefinition, string[]]>([
    ['for a single line', field('f', { type: 'text' }, ['regex', WIDE]), []],
    ['for a single line: the largest', field('f', { type: 'text' }, ['regex', SLOW]), INVALID],
    ['for a single line: the largest with a sufficient maxLength', line(), []],
    ['for a long text', lines(['regex', WIDE]), INVALID],
    ['for a long text: a typical pattern', lines(['regex', '^[A-Z]{2,5}-\\d{1,40}$'], ['maxLength', 5_000]), []],
    ['for a long text with a sufficient maxLength', lines(['regex', WIDE], ['maxLength', 5_000]), []],
    ['for a long text with a maxLength that is too large', lines(['regex', WIDE], ['maxLength', 48_000]), INVALID],
    ['with a short default', line({ default: 'b'.repeat(200) }), []],
    ['with a default that is too long', line({ default: 'b'.repeat(900) }), ['DEFAULT_INVALID /0/default']],
  ])('have a limited time %s', (_where, definition, expected) => {
    expect(codes(checkDefinition([definition]))).toEqual(expected);
  });

  it('may together take a tenth of a second or two per record', () => {
    const fields = Array.from({ length: 12 }, (_, index) => slow(`f${index}`));
    expect(codes(checkDefinition(fields))).toEqual([
      'RULE_PATTERN_INVALID /10/validationRules/0/value',
      'RULE_PATTERN_INVALID /11/validationRules/0/value',
    ]);
    // The records of another object count separately.
    const budget = new PatternBudget();
    expect(checkDefinition(fields.slice(0, 10), budget)).toEqual([]);
    expect(checkDefinition(fields.slice(0, 10), budget)).toEqual([]);
  });

  it('are matched a field a step, so that others have their turn in between', () => {
    const fields = Array.from({ length: 5 }, (_, index) => slow(`f${index}`));
    const value = 'b'.repeat(200);
    const input = Object.fromEntries(fields.map(({ apiName }) => [apiName, value]));
    const steps = recordValidation(fields, input, 'create');
    let count = 0;
    let last = steps.next();
    for (; !last.done; last = steps.next()) count += 1;
    expect(count).toBe(5);
    expect(last.value).toEqual(validateRecord(fields, input, 'create'));
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
    const object = () => checkDefinition([line({ default: 'b'.repeat(180) })], budget);
    expect([object(), object(), object(), object()].flat()).toEqual([]);
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

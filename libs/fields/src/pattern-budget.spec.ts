import { describe, expect, it } from '@jest/globals';
import { checkDefinition } from './check-definition.js';
import type { FieldDefinition } from './field-definition.js';
import { compiledSize } from './pattern.js';
import { PatternBudget } from './pattern-budget.js';
import type { FieldProblem } from './problem.js';
import { validateValue } from './validate-value.js';

/** Takes as long as a pattern may. */
const SLOW = '^(?:.?.?.?.?){300}[^a]$';

const field = (apiName: string, definition: Partial<FieldDefinition>, ...rules: [string, unknown][]): FieldDefinition =>
  ({ apiName, ...definition, validationRules: rules.map(([type, value]) => ({ type, value })) }) as FieldDefinition;
const codes = (problems: readonly FieldProblem[]) => problems.map(({ code, pointer }) => `${code} ${pointer}`);
const PLACE = '/0/validationRules/0/value';

describe('patterns of a package', () => {
  it('have the size of their programs', () => {
    expect(compiledSize('a')).toBeLessThan(10);
    expect(compiledSize(SLOW)).toBeGreaterThan(2400);
    expect(compiledSize('(')).toBe(1);
    expect(compiledSize('x'.repeat(501))).toBe(0);
  });

  it.each<[string, FieldDefinition, string[]]>([
    ['on a line', field('f', { type: 'text' }, ['regex', SLOW]), []],
    ['on pages', field('f', { type: 'textarea' }, ['regex', SLOW]), [`RULE_PATTERN_INVALID ${PLACE}`]],
    ['on pages: a usual one', field('f', { type: 'textarea' }, ['regex', '^[A-Z]{2,5}-\\d{1,40}$']), []],
    ['on pages that are short', field('f', { type: 'textarea' }, ['regex', SLOW], ['maxLength', 9000]), []],
    [
      'on pages that are not short enough',
      field('f', { type: 'textarea' }, ['regex', SLOW], ['maxLength', 90_000]),
      [`RULE_PATTERN_INVALID ${PLACE}`],
    ],
    ['with a short default', field('f', { type: 'text', default: 'b'.repeat(800) }, ['regex', SLOW]), []],
    [
      'with a long default',
      field('f', { type: 'text', default: 'b'.repeat(900) }, ['regex', SLOW]),
      ['DEFAULT_INVALID /0/default'],
    ],
  ])('may take their time %s', (_where, definition, expected) => {
    expect(codes(checkDefinition([definition]))).toEqual(expected);
  });

  it('may together take half a second for a record', () => {
    const fields = Array.from({ length: 12 }, (_, index) => field(`f${index}`, { type: 'text' }, ['regex', SLOW]));
    expect(codes(checkDefinition(fields))).toEqual([
      'RULE_PATTERN_INVALID /10/validationRules/0/value',
      'RULE_PATTERN_INVALID /11/validationRules/0/value',
    ]);
    // Another object has records of its own.
    const budget = new PatternBudget();
    expect(checkDefinition(fields.slice(0, 10), budget)).toEqual([]);
    expect(checkDefinition(fields.slice(0, 10), budget)).toEqual([]);
  });

  it('are compiled up to a number of instructions for all objects together', () => {
    const budget = new PatternBudget();
    const object = () => checkDefinition([field('f', { type: 'text' }, ['regex', SLOW])], budget);
    const accepted = Array.from({ length: 83 }, object);
    expect(accepted.flat()).toEqual([]);
    expect(object()).toEqual([]);
    expect(object()).toMatchObject([{ code: 'RULE_PATTERN_INVALID', detail: expect.stringContaining('too many') }]);
  });

  it('have defaults up to a number of steps for all objects together', () => {
    const budget = new PatternBudget();
    const object = () =>
      checkDefinition([field('f', { type: 'text', default: 'b'.repeat(400) }, ['regex', SLOW])], budget);
    expect([object(), object()].flat()).toEqual([]);
    expect(codes(object())).toEqual(['DEFAULT_INVALID /0/default']);
  });

  it('are not tried on a value that is longer than the field allows', () => {
    const problems: FieldProblem[] = [];
    validateValue(field('f', { type: 'text' }, ['regex', '^b'], ['maxLength', 3]), 'aaaa', {}, problems);
    expect(problems).toMatchObject([{ code: 'TOO_LONG' }]);
    validateValue(field('g', { type: 'text' }, ['regex', '^b'], ['maxLength', 3]), 'aaa', {}, problems);
    expect(problems[1]).toMatchObject({ code: 'PATTERN_MISMATCH' });
  });
});

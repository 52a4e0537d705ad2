import { describe, expect, it } from '@jest/globals';
import type { FormulaError, JsonValue, ValueType } from '../src/ast.js';
import { type CheckOptions, checkFormula } from '../src/checker.js';
import { compileFormula } from '../src/compile.js';

/** Two fields of each type, so that operators can be tested with pairs. */
export const FIELDS: Readonly<Record<string, ValueType>> = {
  n: 'number',
  n2: 'number',
  t: 'text',
  t2: 'text',
  b: 'boolean',
  b2: 'boolean',
  d: 'date',
  d2: 'date',
  dt: 'datetime',
  dt2: 'datetime',
  m: 'multi_select',
};

export const NOON = new Date('2024-02-29T12:00:00Z');

export type TestRecord = Readonly<Record<string, unknown>>;

/** The value of a formula over FIELDS; throws when the formula has errors. */
export function evaluate(source: string, record: TestRecord = {}, timeZone = 'UTC', now = NOON): JsonValue {
  return compileFormula(source, FIELDS).evaluate(record, { now, timeZone });
}

/** The value of a condition whose names are not declared. */
export function evaluateUntyped(source: string, record: TestRecord = {}): JsonValue {
  return compileFormula(source, FIELDS, { untypedNames: true }).evaluate(record, { now: NOON, timeZone: 'UTC' });
}

/** `CODE@position` of each error, sorted by position. */
export function errorsOf(source: string, options?: CheckOptions): string[] {
  return checkFormula(source, FIELDS, options).errors.map(({ code, position }: FormulaError) => `${code}@${position}`);
}

/** A row of a table: one source or several, the value of each, and the record for which it is evaluated. */
export type Case = [sources: string | readonly string[], expected: JsonValue, record?: TestRecord];

/** A row for each of these sources, by the value that it has for the record. */
export const values = (ofSources: Readonly<Record<string, JsonValue>>, record: TestRecord = {}): Case[] =>
  Object.entries(ofSources).map(([source, expected]) => [source, expected, record]);

/** A test of each source of each row. */
export function table(rule: string, cases: readonly Case[], compute = evaluate): void {
  const short = (value: unknown) => {
    const text = JSON.stringify(value);
    return text.length > 60 ? `${text.slice(0, 50)}… (${text.length})` : text;
  };
  const rows = cases.flatMap(([sources, expected, record = {}]) =>
    [sources].flat().map((source) => {
      const title = `${source} is ${short(expected)} for ${short(record)}`;
      return { title, source, expected, record };
    }),
  );
  describe(rule, () => {
    it.each(rows)('$title', ({ source, expected, record }) => expect(compute(source, record)).toStrictEqual(expected));
  });
}

/** Declares a test for each source of each row. */
export function eachSource<Rest extends readonly unknown[]>(
  rows: readonly (readonly [sources: string | readonly string[], ...rest: Rest])[],
) {
  return it.each(
    rows.flatMap(([sources, ...rest]) =>
      [sources].flat().map((source): [source: string, ...rest: Rest] => [source, ...rest]),
    ),
  );
}

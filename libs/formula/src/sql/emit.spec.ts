import { describe, expect, it } from '@jest/globals';
import { FIELDS, NOON } from '../../test/evaluate.js';
import type { ValueType } from '../ast.js';
import { type CheckedFormula, checkFormula } from '../checker.js';
import { FormulaCompileError, FormulaSqlError } from '../errors.js';
import { type EmitOptions, emitSql, type SqlColumn } from './emit.js';

const column = (name: string): SqlColumn => ({ sql: `r.${name}`, type: FIELDS[name]! });
const emit = (source: string, options?: EmitOptions, timeZone?: string) =>
  emitSql(checkFormula(source, FIELDS), column, { now: NOON, timeZone }, options);

describe('the SQL of a formula', () => {
  const START_OF_D = 'public.formula_start_of_day(((r.d)::date), $1::text)';
  it.each<[string, string, (string | number)[]]>([
    ['TRUE', 'true', []],
    ['-n', '(0::float8 - ((r.n)::double precision + 0))', []],
    ['n + 2', 'public.formula_add(((r.n)::double precision + 0), $1::double precision)', [2]],
    ['n - 2', 'public.formula_add(((r.n)::double precision + 0), (0::float8 - $1::double precision))', [2]],
    ['b && NOT b2', '(coalesce(((r.b)::boolean), false) AND (NOT coalesce(((r.b2)::boolean), false)))', []],
    ['1 == 2', '($1::double precision::numeric = $2::double precision::numeric)', [1, 2]],
    ['1 != 2', '($1::double precision::numeric <> $2::double precision::numeric)', [1, 2]],
    ['t != "a"', '(((r.t)::text COLLATE "C") COLLATE "C" IS DISTINCT FROM $1::text COLLATE "C")', ['a']],
    ['d == dt', `(${START_OF_D} IS NOT DISTINCT FROM ((r.dt)::timestamptz))`, ['UTC']],
    ['dt <= d', `(((r.dt)::timestamptz) <= ${START_OF_D})`, ['UTC']],
    ['DAYS_BETWEEN(TODAY(), TODAY())', '($1::date - $1::date)::float8', ['2024-02-29']],
    ['NUMBER(b)', '((r.b)::boolean)::integer::float8', []],
    ['NUMBER(n)', '((r.n)::double precision + 0)', []],
    ['IF(b, 1)', '(CASE WHEN coalesce(((r.b)::boolean), false) THEN $1::double precision ELSE NULL END)', [1]],
    ['BLANKVALUE(n, NULL)', 'coalesce(((r.n)::double precision + 0), NULL::double precision)', []],
    ['CONTAINS(m, "a")', `public.formula_contains(nullif((r.m)::text[], '{}'), $1::text)`, ['a']],
    ['ROUND(n)', 'public.formula_round(((r.n)::double precision + 0), 0)', []],
  ])('%s', (source, sql, parameters) => {
    expect(emit(source)).toEqual({ sql, parameters, resultType: checkFormula(source, FIELDS).resultType });
  });

  it('treats a text formula as nullable because its result may be too long', () => {
    const inner = checkFormula('"a" + "b"', {});
    const fields = { x: 'text' } as const;
    const columns = () => {
      throw new TypeError('The formula has no column');
    };
    const { sql } = emitSql(checkFormula('x == "ab"', fields), columns, { now: NOON }, { formula: () => inner });
    expect(sql).toContain('IS NOT DISTINCT FROM');
    expect(sql).toContain('formula_bounded(');
  });

  it('contains nothing that an author wrote', () => {
    const marked = `IF(t == "'; DROP TABLE x; --", "marked", CONCAT('mark"ed', t)) + TEXT(987654321)`;
    const { sql, parameters } = emit(marked);
    expect(sql).not.toMatch(/DROP|mark|98765/);
    expect(parameters).toEqual(["'; DROP TABLE x; --", 'marked', 'mark"ed', 987654321]);
  });

  it('numbers placeholders from the given one, and binds clock and zone once', () => {
    const source = 'TODAY() > d && TODAY() == d2 && d == dt && DAYS_BETWEEN(dt, dt2) > 1';
    const { sql, parameters } = emit(source, { firstParameter: 7 }, 'Asia/Tokyo');
    expect(parameters).toEqual(['2024-02-29', 'Asia/Tokyo', 1]);
    expect(new Set(sql.match(/\$\d+/g))).toEqual(new Set(['$7', '$8', '$9']));
  });

  it.each([
    ['Nowhere/Land', 'UTC'],
    ['europe/berlin', 'Europe/Berlin'],
    ['EST', 'America/Panama'],
    ['US/Pacific', 'America/Los_Angeles'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['Europe/Kyiv', 'Europe/Kyiv'],
  ])('takes the zone %s for %s', (zone, canonical) => {
    expect(emit('d == dt', {}, zone).parameters).toEqual([canonical]);
  });

  it('lets columns bind parameters, once per field', () => {
    const { sql, parameters } = emitSql(
      checkFormula('n + n + 5', FIELDS),
      (name, bind) => ({ sql: `(data ->> ${bind(name)})::float8`, type: 'number' }),
      { now: NOON },
    );
    expect(parameters).toEqual(['n', 5]);
    expect(sql.match(/\$1\b/g)).toHaveLength(2);
  });
});

/** Writes the SQL of one of so many formulas f0, f1, …, each of which reads the one before, the first the field n. */
function chained(length: number, source: (below: string) => string) {
  const types: Record<string, ValueType> = { n: 'number' };
  const chain = new Map<string, CheckedFormula>();
  for (let index = 0; index < length; index++) {
    chain.set(`f${index}`, checkFormula(source(index === 0 ? 'n' : `f${index - 1}`), types));
    types[`f${index}`] = 'number';
  }
  const options = { formula: (name: string) => chain.get(name) };
  return (name: string) => emitSql(chain.get(name)!, column, { now: NOON }, options);
}

describe('no SQL is written', () => {
  it('for a formula with errors', () => expect(() => emit('n +')).toThrow(FormulaCompileError));

  it('for undeclared names', () => {
    const untyped = checkFormula('x == 1', {}, { untypedNames: true });
    expect(() => emitSql(untyped, () => ({ sql: 'x', type: 'any' }), { now: NOON })).toThrow(TypeError);
  });

  it('for a column or formula of another type than was checked', () => {
    const wrong = (): SqlColumn => ({ sql: 'x', type: 'text' });
    expect(() => emitSql(checkFormula('n', FIELDS), wrong, { now: NOON })).toThrow(TypeError);
    expect(() => emit('n', { formula: () => checkFormula('"a"', {}) })).toThrow(TypeError);
  });

  it('for a chain of more than ten formulas, or a formula that reads itself', () => {
    const emitted = chained(12, (below) => below);
    expect(emitted('f10').sql).toBe('((r.n)::double precision + 0)');
    expect(() => emitted('f11')).toThrow(FormulaSqlError);
    const self = checkFormula('n', FIELDS);
    expect(() => emit('n', { formula: () => self })).toThrow(FormulaSqlError);
  });

  it('for formulas that are too large together', () => {
    const emitted = chained(10, (below) => Array.from({ length: 20 }, () => below).join(' + '));
    expect(() => emitted('f9')).toThrow(FormulaSqlError);
  });
});

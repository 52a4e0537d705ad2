import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import type { ValueType } from '../src/ast.js';
import { parseDate, postgresTimeZone, timeZone } from '../src/calendar.js';
import { type CheckedFormula, checkFormula } from '../src/checker.js';
import { compileFormula } from '../src/compile.js';
import { arbitraryFormula } from './arbitraries.js';
import { type FormulaDatabase, openFormulaDatabase } from './database.js';
import { FIELDS, NOON, type TestRecord } from './evaluate.js';
import { edgePairs, numbers, pairsAtTheEnds, storedRecord, ZONES } from './sql-arbitraries.js';

const DEEP = process.env.DEEP === '1';
/** Batches of formulas by the records they meet. */
const BATCHES = DEEP ? 2000 : process.env.ALL ? 12 : 4;
const FORMULAS = 30;
const RECORDS = 40;

jest.setTimeout(DEEP ? 3_600_000 : 120_000);

let database: FormulaDatabase;
beforeAll(async () => {
  database = await openFormulaDatabase();
});
afterAll(() => database.drop());

/** Compares closure and SQL for each formula and stored record; fails with the first difference. */
async function expectAgreement(formulas: readonly CheckedFormula[], records: readonly TestRecord[], timeZone: string) {
  const context = { now: NOON, timeZone };
  const values = await database.evaluate(formulas, context);
  for (const [index, formula] of formulas.entries()) {
    const { evaluate } = compileFormula(formula, FIELDS);
    for (const [id, record] of records.entries()) {
      const expected = evaluate(record, context);
      const actual = values[index]![id]!;
      if (Object.is(actual, expected)) continue;
      throw new Error(
        `${JSON.stringify({ source: sources.get(formula), timeZone, record })}: ` +
          `SQL ${JSON.stringify(actual)}, closure ${JSON.stringify(expected)}`,
      );
    }
  }
}

/**
 * Letters of Postgres 18 (Unicode 16) that have an upper case only since Unicode 17, which newer versions of Node use:
 * the only difference between the two.
 */
const UNICODE_17 = [0xa7d3, 0xa7d5];

/** The code points that have another case in Node. */
function cased(): number[] {
  return Array.from({ length: 0x10ffff }, (_, index) => index + 1).filter((point) => {
    if (point >= 0xd800 && point <= 0xdfff) return false;
    const character = String.fromCodePoint(point);
    return character.toUpperCase() !== character || character.toLowerCase() !== character;
  });
}

/** The source of each formula, for messages. */
const sources = new WeakMap<CheckedFormula, string>();
function checked(source: string): CheckedFormula {
  const formula = checkFormula(source, FIELDS);
  sources.set(formula, source);
  return formula;
}

describe('SQL of a formula', () => {
  it('computes the same values as the closure for generated formulas and records', async () => {
    const wellTyped = arbitraryFormula.map(checked).filter((formula) => formula.ok);
    await fc.assert(
      fc.asyncProperty(
        fc.array(wellTyped, { minLength: FORMULAS, maxLength: FORMULAS }),
        fc.array(storedRecord, { minLength: RECORDS, maxLength: RECORDS }),
        fc.constantFrom(...ZONES),
        async (formulas, records, timeZone) => {
          await database.store(records);
          await expectAgreement(formulas, records, timeZone);
        },
      ),
      // The message names the failing formula; shrinking lists of formulas would take minutes.
      { numRuns: BATCHES, endOnFailure: true },
    );
  });

  it('never raises and never differs at the ends of the range of numbers', async () => {
    const arithmetic = ['n + n2', 'n - n2', 'n * n2', 'n / n2', 'n2 / n', 'n % n2', 'n2 % n', '-n', 'ABS(n)'];
    const rounding = ['ROUND(n)', 'ROUND(n, n2)', 'ROUND(n, 2)', 'ROUND(n, -2)', 'ROUND(n, 300)', 'ROUND(n, -307)'];
    const comparisons = ['n == n2', 'n != n2', 'n < n2', 'n <= n2', 'MIN(n, n2)', 'MAX(n, n2)'];
    const formulas = [...arithmetic, ...rounding, ...comparisons, 'TEXT(n)', 'NUMBER(TEXT(n))'].map(checked);
    const halves = fc.tuple(fc.integer({ min: 0, max: 1e6 }), fc.integer({ min: -12, max: 12 })).map(
      // Sixteen digits, the last of them a 5.
      ([digits, exponent]) => [Number(`1000${String(digits).padStart(11, '0')}5e${exponent}`), 3] as const,
    );
    const near = numbers
      .chain((n) => fc.tuple(fc.constant(n), fc.integer({ min: -20, max: 20 })))
      .map(([n, ulps]) => [n, n * (1 + ulps * 2 ** -52)] as const);
    const pair = fc.oneof(edgePairs, fc.tuple(numbers, numbers), halves, near);
    const records = pair.filter((both) => both.every(Number.isFinite)).map(([n, n2]) => ({ n, n2 }));
    await fc.assert(
      fc.asyncProperty(fc.array(records, { minLength: 200, maxLength: 200 }), async (stored) => {
        await database.store(stored);
        await expectAgreement(formulas, stored, 'UTC');
      }),
      { numRuns: DEEP ? 500 : process.env.ALL ? 4 : 1, endOnFailure: true },
    );
  });

  it('rounds to zero, to the smallest number and to null exactly where float64 does', async () => {
    const finite = pairsAtTheEnds().filter((both) => both.every((n) => Number.isFinite(n) && n !== 0));
    expect(finite.length).toBeGreaterThan(2000);
    const tried = process.env.ALL || DEEP ? finite : finite.filter((_, index) => index % 4 === 0);
    const records = tried.map(([n, n2]) => ({ n, n2 }));
    await database.store(records);
    await expectAgreement(['n * n2', 'n / n2', 'n + n2', 'n - n2', '-n * n2', 'n / -n2'].map(checked), records, 'UTC');
  });

  it('maps the case of every character that Postgres and Node both know', async () => {
    // The characters that Postgres knows, and whose case it changes.
    const { rows } = await database.client.query<{ point: number; upper: string; lower: string }>(
      `SELECT point, upper, lower FROM (
        SELECT point, public.formula_upper(chr(point)) AS upper, public.formula_lower(chr(point)) AS lower
        FROM generate_series(1, 1114111) AS point WHERE point NOT BETWEEN 55296 AND 57343 OFFSET 0) AS mapped
      WHERE upper <> chr(point) OR lower <> chr(point)`,
    );
    const { rows: unassigned } = await database.client.query<{ point: number }>(
      `SELECT point FROM unnest($1::integer[]) AS point WHERE NOT unicode_assigned(chr(point))`,
      [cased()],
    );
    const newer = new Set([...unassigned.map(({ point }) => point), ...UNICODE_17]);
    const expected = cased().filter((point) => !newer.has(point));
    expect(rows.map(({ point }) => point).filter((point) => !newer.has(point))).toEqual(expected);
    for (const { point, upper, lower } of rows) {
      const character = String.fromCodePoint(point);
      expect([point, upper, lower]).toEqual([point, character.toUpperCase(), character.toLowerCase()]);
    }
  });

  it('maps a final sigma as Unicode specifies', async () => {
    const words = ['ΑΣ', 'Σ', 'ΑΣΑ', '1Σ', 'ΑΣ1', 'ΣΣ Σ', 'ΑΣ.', 'Α.Σ', "ΑΣ'Σ"];
    const sources = [...words, 'ΑΣ\u00ad', 'ΑΣ\u00adΑ', 'Α\u0345Σ', 'ΑΣ\u0301Α'];
    const { rows } = await database.client.query<{ lower: string }>(
      'SELECT public.formula_lower(source) AS lower FROM unnest($1::text[]) AS source',
      [sources],
    );
    expect(rows.map(({ lower }) => lower)).toEqual(sources.map((source) => source.toLowerCase()));
  });

  it('finds the first instant of each day in each zone', async () => {
    const { rows } = await database.client.query<{ zone: string; day: string; start: string }>(
      `SELECT zone, to_char(day, 'YYYY-MM-DD') AS day,
        (extract(epoch FROM public.formula_start_of_day(day::date, zone)) * 1000)::text AS start
      FROM unnest($1::text[]) AS zone,
        generate_series($2::timestamp, timestamp '2037-12-31', interval '1 day') AS day`,
      [ZONES, DEEP ? '1971-01-01' : process.env.ALL ? '2010-01-01' : '2030-01-01'],
    );
    for (const { zone, day, start } of rows) {
      if (Number(start) !== timeZone(zone).startOfDay(parseDate(day)!)) throw new Error(`${zone} ${day}: ${start}`);
    }
    expect(rows.length).toBeGreaterThan(1000);
  });

  it('resolves the name of a zone as Node does', async () => {
    const names = [
      ...Intl.supportedValuesOf('timeZone'),
      'Asia/Kolkata',
      'Europe/Kyiv',
      'asia/kolkata',
      'EST',
      'ACT',
      'utc',
      'US/Pacific',
      'Nowhere/Land',
      undefined,
    ];
    const { rows } = await database.client.query<{ known: boolean }>(
      "SELECT pg_input_is_valid('2024-01-01 00:00 ' || zone, 'timestamptz') AS known FROM unnest($1::text[]) AS zone",
      [names.map(postgresTimeZone)],
    );
    expect(rows.filter(({ known }) => !known)).toEqual([]);
  });

  it('handles formulas of the largest size and depth', async () => {
    await database.store([{ n: 1, t: 'a', b: true }]);
    const chain = checked(`n${' + n'.repeat(249)}`);
    const nested = checked(`${'ABS('.repeat(49)}n${')'.repeat(49)}`);
    const concatenated = checked(`CONCAT(${Array.from({ length: 499 }, () => 't').join(', ')})`);
    const values = await database.evaluate([chain, nested, concatenated], { now: NOON });
    expect(values.flat()).toEqual([250, 1, 'a'.repeat(499)]);
  });

  it('inlines the formulas it reads', async () => {
    const formulas = new Map(
      Object.entries({ net: 'n * 2', label: '"Net " + net', due: 'MAX(dt, dt2)', late: 'due > d', long: 't + t' }),
    );
    const types = { ...FIELDS, net: 'number', due: 'datetime', long: 'text' } as const;
    const compiled = new Map([...formulas].map(([name, source]) => [name, checkFormula(source, types)]));
    const records = [
      { n: 21, d: '2024-01-01', dt: '2024-01-01T05:00:00Z', t: 'x'.repeat(2001) },
      { n: null, d: '2024-01-01', dt: '2024-01-01T04:59:59.999Z', t: 'x' },
    ];
    const shown = [...compiled.values(), checkFormula('LEN(long)', types)];
    await database.store(records);
    const context = { now: NOON, timeZone: 'America/New_York' };
    const values = await database.evaluate(shown, context, { formula: (name) => compiled.get(name) });
    expect(values).toEqual([
      [42, null],
      ['Net 42', 'Net '],
      ['2024-01-01T05:00:00Z', '2024-01-01T04:59:59.999Z'],
      [false, false],
      [null, 'xx'],
      [0, 2],
    ]);
  });

  it('handles a chain of formulas as large as the limit allows', async () => {
    const types: Record<string, ValueType> = { n: 'number' };
    const chain = new Map<string, CheckedFormula>();
    for (let index = 0; index < 8; index++) {
      const name = `f${index}`;
      chain.set(name, checkFormula(`${index === 0 ? 'n' : `f${index - 1}`}${' + 1'.repeat(249)}`, types));
      types[name] = 'number';
    }
    await database.store([{ n: 0 }]);
    const last = chain.get('f7')!;
    const values = await database.evaluate([last], { now: NOON }, { formula: (name) => chain.get(name) });
    expect(values).toEqual([[249 * 8]]);
  });
});

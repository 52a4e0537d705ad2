import { describe, expect, it } from '@jest/globals';
import { NOON } from '../test/evaluate.js';
import type { ValueType } from './ast.js';
import { compileFormula } from './compile.js';

const evaluate = (source: string, fields: Record<string, ValueType>, record: object) =>
  compileFormula(source, fields).evaluate(record as Record<string, unknown>, { now: NOON });

describe('only own properties of a record are its values', () => {
  it.each<[string, ValueType]>([
    ['constructor', 'text'],
    ['toString', 'text'],
    ['__proto__', 'text'],
    ['hasOwnProperty', 'boolean'],
    ['valueOf', 'number'],
  ])('%s is null where it is not set', (name, type) => {
    const fields = Object.fromEntries([[name, type]]);
    expect(evaluate(name, fields, {})).toBeNull();
    expect(evaluate(name, fields, Object.create(null))).toBeNull();
  });

  it.each<[ValueType, unknown, unknown]>([
    ['text', 'a', 'a'],
    ['number', 5, 5],
    ['boolean', true, true],
    ['date', '2024-02-29', '2024-02-29'],
    ['datetime', '2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
  ])('%s is read under any name and never inherited', (type, value, expected) => {
    for (const name of ['field', 'constructor', '__proto__']) {
      const fields = Object.fromEntries([[name, type]]);
      const own = Object.defineProperty({}, name, { value, enumerable: true });
      expect(evaluate(name, fields, own)).toBe(expected);
      expect(evaluate(name, fields, Object.create({ [name]: value }))).toBeNull();
      expect(evaluate(name, fields, Object.create(own))).toBeNull();
    }
  });

  it('holds even when Object.prototype was extended', () => {
    Object.defineProperty(Object.prototype, 'amount', { value: 41, configurable: true });
    try {
      expect(evaluate('amount', { amount: 'number' }, {})).toBeNull();
      expect(evaluate('amount', { amount: 'number' }, { amount: 1 })).toBe(1);
    } finally {
      Reflect.deleteProperty(Object.prototype, 'amount');
    }
  });

  it('holds for an instance of a class too', () => {
    class Deal {
      amount = 5;
      get discount() {
        return 1;
      }
    }
    expect(evaluate('amount', { amount: 'number' }, new Deal())).toBe(5);
    expect(evaluate('discount', { discount: 'number' }, new Deal())).toBeNull();
  });

  it('a value that JSON cannot hold is null', () => {
    for (const value of [undefined, 1n, Symbol('x')]) expect(evaluate('n', { n: 'number' }, { n: value })).toBeNull();
  });
});

describe('the clock', () => {
  it('is read again for another instant or zone', () => {
    const { evaluate: today } = compileFormula('TODAY()', {});
    const late = new Date('2024-02-29T23:30:00Z');
    expect(today({}, { now: late })).toBe('2024-02-29');
    expect(today({}, { now: late, timeZone: 'Europe/Berlin' })).toBe('2024-03-01');
    expect(today({}, { now: late, timeZone: 'UTC' })).toBe('2024-02-29');
    const moved = new Date(late);
    const context = { now: moved, timeZone: 'UTC' };
    moved.setTime(late.getTime() + 3_600_000);
    expect(today({}, context)).toBe('2024-03-01');
  });

  it('handles a date before the year 1', () => {
    const fields = { dt: 'datetime', d: 'date' } as const;
    const record = { dt: '0001-01-01T00:00:00Z', d: '0001-01-01' };
    const { evaluate: days } = compileFormula('DAYS_BETWEEN(dt, d)', fields);
    expect(days(record, { now: NOON, timeZone: 'America/New_York' })).toBe(1);
    expect(days(record, { now: NOON, timeZone: 'Asia/Tokyo' })).toBe(0);
  });
});

describe('a value that does not match its declared type is null', () => {
  const unfitting: [ValueType, unknown[]][] = [
    ['number', ['5', true, Number.NaN, Number.POSITIVE_INFINITY, [], {}]],
    ['text', [5, true, ['a'], {}]],
    ['boolean', ['yes', 'true', 1, 0, [], {}]],
    ['date', ['2026-02-30', '2026-1-1', '2026-11-21T10:00:00Z', 20_000, true, {}, ['a']]],
    ['datetime', ['2026-11-21', 'now', 1_700_000_000_000, false, {}, ['a']]],
  ];
  it.each(unfitting.flatMap(([type, values]) => values.map((value) => [type, value] as const)))(
    '%s: %j',
    (type, value) => {
      // Names that every object has are read in a different way.
      for (const name of ['x', 'constructor', 'valueOf']) {
        const record = Object.fromEntries([[name, value]]);
        const fields = Object.fromEntries([[name, type]]);
        expect(evaluate(name, fields, record)).toBeNull();
        expect(evaluate(`${name} == NULL`, fields, record)).toBe(true);
        expect(evaluate(`BLANKVALUE(${name}, NULL) == ${name}`, fields, record)).toBe(true);
      }
    },
  );

  it('a selection of another type is null too', () => {
    for (const value of ['a', [], [1], ['a', null], { 0: 'a' }, true]) {
      expect(evaluate('TEXT(m)', { m: 'multi_select' }, { m: value })).toBeNull();
      expect(evaluate('CONTAINS(m, "a")', { m: 'multi_select' }, { m: value })).toBe(false);
    }
  });

  it('counts as FALSE in conditions, even if it is a non-empty text', () => {
    expect(evaluate('IF(flag, "yes", "no")', { flag: 'boolean' }, { flag: 'true' })).toBe('no');
    expect(evaluate('IF(flag, "yes", "no")', { flag: 'boolean' }, { flag: true })).toBe('yes');
  });
});

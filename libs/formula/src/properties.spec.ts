import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { arbitraryFormula, arbitraryRecord } from '../test/arbitraries.js';
import { FIELDS } from '../test/evaluate.js';
import { runs } from '../test/runs.js';
import { checkFormula } from './checker.js';
import { compileFormula } from './compile.js';
import { compareNumbers, decimalText, roundTo15Digits } from './values.js';

// Many runs, on a machine that may be busy with other test files.
jest.setTimeout(process.env.DEEP === '1' ? 3_600_000 : 60_000);

const ZONES = ['UTC', 'America/New_York', 'Pacific/Apia', 'Asia/Kolkata'];

const double = fc.double({ noNaN: true, noDefaultInfinity: true });

describe('properties of generated formulas', () => {
  it('a formula without errors evaluates without an exception to a value of its type', () => {
    let passed = 0;
    fc.assert(
      fc.property(arbitraryFormula, arbitraryRecord, fc.constantFrom(...ZONES), (source, record, timeZone) => {
        const checked = checkFormula(source, FIELDS);
        if (!checked.ok) return;
        passed++;
        const value = compileFormula(checked, FIELDS).evaluate(record, { now: new Date(1.7e12), timeZone });
        if (value === null) {
          expect(checked.nullable).toBe(true);
        } else {
          const types = { number: 'number', boolean: 'boolean' } as Record<string, string>;
          expect(typeof value).toBe(types[checked.resultType] ?? 'string');
          if (typeof value === 'number') expect(Number.isFinite(value) && !Object.is(value, -0)).toBe(true);
        }
      }),
      runs(312),
    );
    expect(passed).toBeGreaterThan(50);
  });

  it('a formula with undeclared names never throws', () => {
    const options = { untypedNames: true };
    fc.assert(
      fc.property(
        arbitraryFormula,
        fc.dictionary(fc.constantFrom('n', 't', 'b', 'd', 'm'), fc.jsonValue()),
        (source, record) => {
          const checked = checkFormula(source, {}, options);
          if (checked.ok)
            compileFormula(checked, {}, options).evaluate(record, { now: new Date(0), timeZone: 'Asia/Tokyo' });
        },
      ),
      runs(187),
    );
  });

  it('random characters lead to errors or a tree, never to an exception', () => {
    const alphabet = [
      ...'ab1.e"\'\\u()+-*/%=!<>&|,# \n',
      'IF(',
      'NOT ',
      'AND ',
      'NULL',
      '😀',
      '\ud800',
      '\0',
      '0x',
      'n',
      't',
    ];
    const garbage = fc.array(fc.constantFrom(...alphabet), { maxLength: 120 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(garbage, fc.string({ unit: 'binary', maxLength: 80 })), (source) => {
        const { ok, errors } = checkFormula(source, FIELDS);
        expect(ok || errors.length > 0).toBe(true);
        const length = [...source].length;
        for (const error of errors) {
          expect(error.position).toBeGreaterThanOrEqual(0);
          expect(error.position + error.length).toBeLessThanOrEqual(length);
          expect(error.message).not.toBe('');
        }
      }),
      runs(312),
    );
  });

  it('a mutated formula leads to errors or a tree, never to an exception', () => {
    fc.assert(
      fc.property(arbitraryFormula, fc.nat(), fc.nat(5), fc.string({ maxLength: 3 }), (source, at, cut, inserted) => {
        const position = at % (source.length + 1);
        const { ok, errors } = checkFormula(
          source.slice(0, position) + inserted + source.slice(position + cut),
          FIELDS,
        );
        expect(ok || errors.length > 0).toBe(true);
      }),
      runs(187),
    );
  });

  it('the comparison of numbers is a total order that agrees with their texts', () => {
    const few = fc.integer({ min: -20, max: 20 });
    const near = double.chain((a) => {
      return fc.tuple(
        fc.constant(a),
        fc.oneof(
          double,
          few.map((ulps) => a * (1 + ulps * 2 ** -52)),
        ),
      );
    });
    fc.assert(
      fc.property(near, ([a, b]) => {
        if (!Number.isFinite(b)) return;
        const order = compareNumbers(a, b);
        expect(Math.sign(compareNumbers(b, a)) + Math.sign(order)).toBe(0);
        expect(order === 0).toBe(decimalText(a) === decimalText(b));
        if (order !== 0) expect(order < 0).toBe(a < b);
      }),
      runs(312),
    );
  });

  it('rounding to 15 digits is idempotent', () => {
    fc.assert(
      fc.property(double, (value) => {
        const rounded = roundTo15Digits(value);
        if (Number.isFinite(rounded)) expect(roundTo15Digits(rounded)).toBe(rounded);
      }),
      runs(187),
    );
  });

  it('the largest inputs are checked quickly', () => {
    const sources = [
      ...['('.repeat(4000), '-'.repeat(4000), 'a+'.repeat(2000), '"'.repeat(4000), 'IF('.repeat(1333)],
      ...['=,'.repeat(2000), 'f(),'.repeat(1000), '1e'.repeat(2000), 'NOT '.repeat(1000), '&('.repeat(2000)],
    ];
    for (const source of sources) {
      const start = performance.now();
      expect(checkFormula(source, FIELDS).ok).toBe(false);
      expect(performance.now() - start).toBeLessThan(10_000);
    }
  });
});

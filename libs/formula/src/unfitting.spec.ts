import { describe, expect, it } from '@jest/globals';
import { compileFormula } from './compile.js';
import { decimalText } from './decimal.js';
import { parseFormula } from './parser.js';
import type { ValueType } from './types.js';

const context = { now: new Date('2026-11-21T10:00:00Z') };

describe('a declared name whose value does not fit its type is null', () => {
  const unfitting: [ValueType, unknown[]][] = [
    ['number', ['5', true, Number.NaN, Number.POSITIVE_INFINITY, [], {}]],
    ['text', [5, true, ['a'], {}]],
    ['boolean', ['yes', 'true', 1, 0, [], {}]],
    ['date', ['2026-02-30', '2026-1-1', '2026-11-21T10:00:00Z', 20_000, true]],
    ['datetime', ['2026-11-21', 'now', 1_700_000_000_000, false]],
  ];
  it.each(unfitting.flatMap(([type, values]) => values.map((value) => [type, value] as const)))(
    '%s: %j',
    (type, value) => {
      const isNull = compileFormula('x == NULL', { x: type });
      expect(isNull.evaluate({ x: value }, context)).toBe(true);
      expect(compileFormula('BLANKVALUE(x, NULL) == x', { x: type }).evaluate({ x: value }, context)).toBe(true);
    },
  );

  it('counts as FALSE in conditions, also an unfitting text that is not empty', () => {
    const formula = compileFormula('IF(flag, "yes", "no")', { flag: 'boolean' });
    expect(formula.evaluate({ flag: 'true' }, context)).toBe('no');
    expect(formula.evaluate({ flag: true }, context)).toBe('yes');
  });
});

describe('decimals far from one', () => {
  it.each([
    [1.23456789012345e-8, '0.0000000123456789012345'],
    [1.23456789012347e-9, '0.00000000123456789012347'],
    [3e-8, '0.00000003'],
    [1.23456789012345e39, '1234567890123450000000000000000000000000'],
    [-1.23456789012347e-12, '-0.00000000000123456789012347'],
  ])('%d keeps its last digit, odd or even', (value, text) => {
    expect(decimalText(value)).toBe(text);
  });
});

describe('a run of tokens that fits nowhere', () => {
  it('is reported once, where it begins', () => {
    expect(parseFormula('MAX(1 2 3 4, 5)').errors).toMatchObject([{ code: 'UNEXPECTED_TOKEN', position: 6 }]);
  });
});

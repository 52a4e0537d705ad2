import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  Cells,
  debtAfter,
  hasCapacity,
  paceOf,
  remainingUses,
  secondsUntilCapacity,
  secondsUntilEmpty,
} from './limiter-store.js';

describe('the arithmetic of limits', () => {
  it('admits a burst, then one use in each interval', () => {
    const pace = paceOf(100, 1, 3);
    expect(pace).toEqual({ intervalUs: 10_000, capacityUs: 30_000 });
    const admittedAt: number[] = [];
    let emptyAt = 0;
    for (let now = 0; now <= 50_000; now += 1000) {
      const debt = Math.max(0, emptyAt - now);
      if (!hasCapacity(pace, debt)) continue;
      emptyAt = now + debtAfter('take', pace, debt);
      admittedAt.push(now);
    }
    expect(admittedAt).toEqual([0, 1000, 2000, 10_000, 20_000, 30_000, 40_000, 50_000]);
  });

  it('rounds intervals up, so that no rate is exceeded, down to a microsecond', () => {
    expect(paceOf(7, 60, 7).intervalUs).toBe(8_571_429);
    expect(paceOf(1_000_000_000, 60, 1_000_000_000).intervalUs).toBe(1);
  });

  it('says how many uses are left, and when the next and the last of them are back', () => {
    const pace = paceOf(60, 60, 3);
    expect([0, 1, 1_000_000, 2_000_001, 3_000_000].map((debt) => remainingUses(pace, debt))).toEqual([3, 2, 2, 0, 0]);
    expect([secondsUntilCapacity(pace, 3_000_000), secondsUntilCapacity(pace, 2_000_001)]).toEqual([1, 1]);
    expect(secondsUntilCapacity(paceOf(2, 60, 2), 60_000_000)).toBe(30);
    expect([secondsUntilEmpty(0), secondsUntilEmpty(2_000_001)]).toEqual([1, 3]);
  });

  it('says that uses are left exactly when one is admitted', () => {
    const rates = fc.record({ points: fc.nat(200), seconds: fc.integer({ min: 1, max: 100 }), burst: fc.nat(50) });
    fc.assert(
      fc.property(rates, fc.double({ min: 0, max: 1, noNaN: true }), ({ points, seconds, burst }, share) => {
        const pace = paceOf(points, seconds, burst);
        const debt = Math.floor(pace.capacityUs * share);
        expect(remainingUses(pace, debt) > 0).toBe(hasCapacity(pace, debt));
        expect(debtAfter('charge', pace, debt)).toBeLessThanOrEqual(Math.max(debt, pace.capacityUs));
        if (hasCapacity(pace, debt)) expect(debtAfter('restore', pace, debtAfter('take', pace, debt))).toBe(debt);
        else expect(hasCapacity(pace, Math.max(0, debt - secondsUntilCapacity(pace, debt) * 1e6))).toBe(burst > 0);
      }),
    );
  });
});

const held = (cells: Cells): number => {
  const { recent, older } = cells as unknown as Record<'recent' | 'older', ReadonlyMap<string, unknown>>;
  return recent.size + older.size;
};

describe('the buckets of a limit', () => {
  it('are kept for their life after their last use, and forgotten after twice that', () => {
    const cells = new Cells(1000);
    const cell = cells.cellOf('a', 0);
    cells.cellOf('b', 900);
    expect(cells.cellOf('a', 999)).toBe(cell);
    cells.cellOf('c', 1998);
    expect(cells.find('a')).toBe(cell);
    cells.cellOf('d', 2998);
    expect(cells.find('a')).toBeUndefined();
    expect(cells.find('c')).toBeDefined();
    cells.cellOf('e', 9000);
    expect(held(cells)).toBe(1);
  });

  it('are never more than a number, however many keys come, and those used last are kept', () => {
    const cells = new Cells(1_000_000, 100);
    const own = cells.cellOf('own', 0);
    for (let n = 0; n < 10_000; n += 1) {
      cells.cellOf(`key ${n}`, n);
      expect(held(cells)).toBeLessThanOrEqual(100);
      if (n % 20 === 0) expect(cells.cellOf('own', n)).toBe(own);
    }
  });
});

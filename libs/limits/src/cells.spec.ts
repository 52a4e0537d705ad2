import { describe, expect, it } from '@jest/globals';
import { Cells } from './gcra.js';

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

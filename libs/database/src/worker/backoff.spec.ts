import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Backoff, jittered } from './backoff.js';

describe('a back-off', () => {
  it('doubles its delays up to the longest', () => {
    const backoff = Backoff.doubling(5, 3600);
    expect([1, 2, 3, 4, 10, 11, 50, 5000].map((failures) => backoff.exactMs(failures))).toEqual([
      5, 10, 20, 40, 2560, 3600, 3600, 3600,
    ]);
  });

  it('uses the delays of a list in order and repeats the last one', () => {
    const backoff = Backoff.listed([1, 5, 30]);
    expect([0, 1, 2, 3, 4, 100].map((failures) => backoff.exactMs(failures))).toEqual([1, 1, 5, 30, 30, 30]);
    expect(() => Backoff.listed([])).toThrow('at least one');
  });

  it('varies a delay by at most a fifth and never above the longest', () => {
    const backoff = Backoff.doubling(1_000, 60_000);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.double({ min: 0, max: 1, noNaN: true }), (failures, random) => {
        const exact = backoff.exactMs(failures);
        const delay = backoff.delayMs(failures, random);
        expect(delay).toBeGreaterThanOrEqual(exact * 0.8);
        expect(delay).toBeLessThanOrEqual(Math.min(exact * 1.2, 60_000));
      }),
    );
    expect([0, 0.5, 1].map((random) => jittered(100, random))).toEqual([80, 100, 120]);
  });
});

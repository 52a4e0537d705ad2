import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readRetryAfter } from '../receivers/attempt-outcome.js';
import { DEFAULT_RETRY_DELAYS_MS, delayBeforeNext, parseDelays } from './retry-schedule.js';

describe('the retry schedule', () => {
  it('makes ten attempts over about three days', () => {
    expect(DEFAULT_RETRY_DELAYS_MS).toHaveLength(10);
    const total = DEFAULT_RETRY_DELAYS_MS.reduce((sum, delay) => sum + delay, 0);
    expect(total / 3_600_000).toBeCloseTo(75.6, 0);
  });

  it('varies a delay by at most a fifth', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (attempts, random) => {
          const base = DEFAULT_RETRY_DELAYS_MS[attempts] as number;
          const delay = delayBeforeNext(DEFAULT_RETRY_DELAYS_MS, attempts, null, random) as number;
          expect(delay).toBeGreaterThanOrEqual(Math.floor(base * 0.8));
          expect(delay).toBeLessThanOrEqual(Math.ceil(base * 1.2));
        },
      ),
    );
  });

  it('has no delay after the last attempt', () => {
    expect(delayBeforeNext(DEFAULT_RETRY_DELAYS_MS, 10, null, 0.5)).toBeNull();
  });

  it('waits longer when the receiver asks', () => {
    expect(delayBeforeNext([0, 1000], 1, 60_000, 0.5)).toBe(60_000);
    expect(delayBeforeNext([0, 1000], 1, 10, 0.5)).toBe(1000);
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-11-21T10:00:00Z');
  it.each([
    ['120', 120_000],
    ['Sat, 21 Nov 2026 10:00:30 GMT', 30_000],
    ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
    ['999999999', 86_400_000],
    ['Fri, 31 Dec 2027 09:00:00 GMT', 86_400_000],
    [['5', '60'], 5_000],
    ['soon', null],
    [undefined, null],
  ])('reads Retry-After %s as %s ms', (header, expected) => {
    expect(readRetryAfter(header, now)).toBe(expected);
  });
});

describe('a configured schedule', () => {
  it('reads delays in milliseconds, seconds, minutes and hours', () => {
    expect(parseDelays('0s, 500ms,5s,5m,2h')).toEqual([0, 500, 5000, 300_000, 7_200_000]);
  });

  it.each(['', '5', '5d', '-1s', '1s,,2s'])('refuses the schedule %j', (text) => {
    expect(() => parseDelays(text)).toThrow('WEBHOOK_RETRY_DELAYS');
  });
});

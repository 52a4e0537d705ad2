import { describe, expect, it } from '@jest/globals';
import { afterCrash, CRASH_WINDOW_MS, MOST_CRASHES } from './restart-policy.mjs';

const MINUTE = 60_000;

describe('after a crash', () => {
  it('restarts almost at once the first time', () => {
    expect(afterCrash([10 * MINUTE])).toEqual({ restart: true, delayMs: 200 });
  });

  it('waits twice as long for every further crash within the window', () => {
    const times = [0, 1000, 2000, 3000];
    const delays = times.map((_, index) => afterCrash(times.slice(0, index + 1)));
    expect(delays).toEqual([200, 400, 800, 1600].map((delayMs) => ({ restart: true, delayMs })));
  });

  it('gives up on the crash after the last one allowed', () => {
    const times = Array.from({ length: MOST_CRASHES + 1 }, (_, index) => index * 1000);
    expect(afterCrash(times)).toEqual({ restart: false });
    expect(afterCrash(times.slice(0, -1))).toMatchObject({ restart: true });
  });

  it('forgets crashes older than the window', () => {
    const times = Array.from({ length: 20 }, (_, index) => index * CRASH_WINDOW_MS);
    expect(afterCrash(times)).toEqual({ restart: true, delayMs: 200 });
  });
});

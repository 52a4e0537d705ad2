import { beforeEach, describe, expect, it } from '@jest/globals';
import { openUpstreams, UpstreamBreaker } from './upstreams.js';

describe('the breaker of a service', () => {
  let now: number;
  let breaker: UpstreamBreaker;
  beforeEach(() => {
    now = 100;
    breaker = new UpstreamBreaker('identity', () => now);
  });
  const fail = (times: number) => {
    for (let n = 0; n < times; n += 1) breaker.failed();
  };
  const isOpen = async () => (await openUpstreams.get()).values[0]?.value;

  it('opens after five failures in a row', async () => {
    fail(4);
    breaker.answered();
    fail(4);
    expect([breaker.waitMs(), await isOpen()]).toEqual([0, 0]);
    fail(1);
    expect([breaker.waitMs(), await isOpen()]).toEqual([1_000, 1]);
  });

  it('lets one call through after the pause, and closes when it is answered', async () => {
    fail(5);
    now += 1_000;
    expect([breaker.waitMs(), breaker.waitMs()]).toEqual([0, 1_000]);
    breaker.answered();
    expect([breaker.waitMs(), breaker.waitMs(), await isOpen()]).toEqual([0, 0, 0]);
  });

  it('waits twice as long after each call that fails, up to half a minute', () => {
    fail(5);
    const pauses: number[] = [];
    for (let probe = 0; probe < 7; probe += 1) {
      pauses.push(breaker.waitMs());
      now += breaker.waitMs();
      expect(breaker.waitMs()).toBe(0);
      fail(1);
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  it('is not kept open by calls that were under way when it opened', () => {
    fail(5);
    now += 999;
    fail(20);
    now += 1;
    expect(breaker.waitMs()).toBe(0);
  });
});

import { beforeEach, describe, expect, it } from '@jest/globals';
import { Breaker } from './breaker.js';

describe('the breaker', () => {
  let breaker: Breaker;
  beforeEach(() => {
    breaker = new Breaker(3);
  });

  const fail = (times: number, now: number) => {
    for (let index = 0; index < times; index += 1) {
      breaker.begun('slow');
      breaker.ended('slow', false, now);
    }
  };

  it('limits a target to its share', () => {
    expect(breaker.room('slow', 0)).toBe(3);
    breaker.begun('slow');
    expect(breaker.narrowed(0)).toEqual(new Map([['slow', 2]]));
    breaker.begun('slow');
    breaker.begun('slow');
    expect(breaker.narrowed(0)).toEqual(new Map([['slow', 0]]));
    expect(breaker.room('slow', 0)).toBe(0);
    expect(breaker.closed(0)).toEqual(['slow']);
    expect(breaker.room('quick', 0)).toBe(3);
  });

  it('pauses after five consecutive failures, longer each time, then allows one attempt', () => {
    fail(5, 0);
    expect(breaker.room('slow', 999)).toBe(0);
    expect(breaker.nextOpening(0)).toBe(1_000);
    expect(breaker.room('slow', 1_000)).toBe(1);
    fail(1, 1_000);
    expect(breaker.nextOpening(1_000)).toBe(3_000);
    fail(20, 3_000);
    expect(breaker.nextOpening(3_000)).toBe(63_000);
  });

  it('allows the full share again after one success', () => {
    fail(5, 0);
    breaker.begun('slow');
    breaker.ended('slow', true, 5_000);
    expect(breaker.room('slow', 5_000)).toBe(3);
    expect(breaker.closed(5_000)).toEqual([]);
  });

  it.each([
    ['has failed once', 1, 0],
    ['was paused', 5, 1_000],
  ])('forgets a target that %s ten minutes after its last attempt', (_name, failures, lastKnown) => {
    fail(failures, 0);
    const end = lastKnown + 600_000;
    const before = breaker.narrowed(end - 1);
    expect(breaker.size).toBe(1);
    expect(before).toEqual(new Map(failures < 5 ? [] : [['slow', 1]]));
    expect(breaker.narrowed(end)).toEqual(new Map());
    expect(breaker.size).toBe(0);
    expect(breaker.room('slow', end)).toBe(3);
  });

  it('never forgets a target with a running attempt, however long it takes', () => {
    fail(5, 0);
    breaker.begun('slow');
    expect(breaker.narrowed(10_000_000)).toEqual(new Map([['slow', 0]]));
    breaker.ended('slow', false, 10_000_000);
    expect(breaker.nextOpening(10_000_000)).toBe(10_002_000);
  });
});

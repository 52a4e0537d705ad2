import { beforeEach, describe, expect, it } from '@jest/globals';
import { Breaker } from './breaker.js';

describe('the breaker', () => {
  let breaker: Breaker;
  beforeEach(() => {
    breaker = new Breaker({ first: 4, most: 6 });
  });

  const attempt = (succeeded: boolean, now: number, times = 1) => {
    for (let index = 0; index < times; index += 1) {
      breaker.begun('slow');
      breaker.ended('slow', succeeded, now);
    }
  };

  it('limits a target to its share', () => {
    expect(breaker.freeSlots('slow', 0)).toBe(4);
    breaker.begun('slow');
    expect(breaker.narrowed(0)).toEqual(new Map([['slow', 3]]));
    for (let more = 0; more < 3; more += 1) breaker.begun('slow');
    expect(breaker.narrowed(0)).toEqual(new Map([['slow', 0]]));
    expect(breaker.freeSlots('quick', 0)).toBe(4);
  });

  it('allows more while attempts succeed, up to a limit', () => {
    attempt(true, 0);
    expect(breaker.freeSlots('slow', 0)).toBe(5);
    attempt(true, 0, 5);
    expect(breaker.freeSlots('slow', 0)).toBe(6);
    expect(breaker.narrowed(0)).toEqual(new Map());
  });

  it('allows half as many after a failure or a slow attempt, and always one', () => {
    attempt(false, 0);
    expect(breaker.freeSlots('slow', 0)).toBe(2);
    breaker.slow('slow');
    breaker.slow('slow');
    expect(breaker.freeSlots('slow', 0)).toBe(1);
  });

  it('pauses after five consecutive failures, longer each time, then allows one attempt', () => {
    attempt(false, 0, 5);
    expect(breaker.freeSlots('slow', 999)).toBe(0);
    expect(breaker.nextOpening(0)).toBe(1_000);
    expect(breaker.freeSlots('slow', 1_000)).toBe(1);
    attempt(false, 1_000);
    expect(breaker.nextOpening(1_000)).toBe(3_000);
    attempt(false, 3_000, 20);
    expect(breaker.nextOpening(3_000)).toBe(63_000);
  });

  it('stays paused until the later of two moments', () => {
    breaker.pause('slow', 5_000);
    breaker.pause('slow', 2_000);
    expect(breaker.freeSlots('slow', 4_999)).toBe(0);
    expect(breaker.freeSlots('slow', 5_000)).toBe(4);
  });

  it('tells each pause once, and joins those of other processes', () => {
    expect(breaker.takePause('slow', 0)).toBeNull();
    attempt(false, 0, 5);
    expect([breaker.takePause('slow', 0), breaker.takePause('slow', 0)]).toEqual([1_000, null]);
    const other = new Breaker({ first: 4, most: 6 });
    other.join('slow', 1_000);
    expect([other.freeSlots('slow', 999), other.freeSlots('slow', 1_000), other.takePause('slow', 0)]).toEqual([
      0,
      1,
      null,
    ]);
    // One failure there is not five in a row.
    other.begun('slow');
    other.ended('slow', false, 1_000);
    expect([other.isPaused('slow', 1_000), other.takePause('slow', 1_000)]).toEqual([false, null]);
  });

  it('lifts the restriction to single attempts after one success', () => {
    attempt(false, 0, 5);
    attempt(true, 5_000, 2);
    expect(breaker.freeSlots('slow', 5_000)).toBe(3);
  });

  it.each([
    ['has failed once', 1, 0],
    ['was paused', 5, 1_000],
  ])('forgets a target that %s ten minutes after its last attempt', (_name, failures, lastKnown) => {
    attempt(false, 0, failures);
    const end = lastKnown + 600_000;
    expect(breaker.narrowed(end - 1).size).toBe(1);
    expect(breaker.narrowed(end)).toEqual(new Map());
    expect(breaker.size).toBe(0);
    expect(breaker.freeSlots('slow', end)).toBe(4);
  });

  it('never forgets a target with a running attempt, however long it takes', () => {
    attempt(false, 0, 5);
    breaker.begun('slow');
    expect(breaker.narrowed(10_000_000)).toEqual(new Map([['slow', 0]]));
    breaker.ended('slow', false, 10_000_000);
    expect(breaker.nextOpening(10_000_000)).toBe(10_002_000);
  });
});

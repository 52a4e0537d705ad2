import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Origin } from './destination.js';
import { type Lane, LanePool, Lanes } from './lanes.js';

const originOf = (host: string) => ({ origin: `https://${host}` }) as Origin;
const A = originOf('a.example.com');
const WAIT_MS = 15_000;

describe('Lanes', () => {
  let created: Lane[];
  let lanes: Lanes;
  let isBusy: boolean;
  beforeEach(() => {
    jest.useFakeTimers();
    created = [];
    isBusy = true;
    lanes = new Lanes(
      new LanePool({ maxIdlePerOrigin: 8, maxIdle: 8 }),
      (origin) => {
        const lane = { origin, expiresAt: Number.POSITIVE_INFINITY, isOpen: true, destroy: async () => undefined };
        created.push(lane as Lane);
        return lane as Lane;
      },
      () => isBusy,
    );
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  /** Takes for as many requests, as they come at one moment; what each gets, once it has got it. */
  function takeAll(count: number, origin = A) {
    const got: (Lane | undefined)[] = Array(count).fill(undefined);
    for (let index = 0; index < count; index += 1) {
      void Promise.resolve(lanes.take(origin, WAIT_MS)).then((lane) => {
        got[index] = lane;
      });
    }
    return got;
  }

  it('opens the first lane of an origin at once, and uses it again', async () => {
    const first = await lanes.take(A, WAIT_MS);
    lanes.release(first, true);
    expect(await lanes.take(A, WAIT_MS)).toBe(first);
    await lanes.take(originOf('b.example.com'), WAIT_MS);
    expect(created).toHaveLength(2);
  });

  it('gives a lane that becomes free within a moment to those who wait, in order, and opens no other', async () => {
    const first = await lanes.take(A, WAIT_MS);
    const got = takeAll(2);
    await jest.advanceTimersByTimeAsync(19);
    lanes.release(first, true);
    await jest.advanceTimersByTimeAsync(0);
    expect(got).toEqual([first, undefined]);
    lanes.release(first, true);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(got).toEqual([first, first]);
    expect(created).toHaveLength(1);
  });

  it('opens further lanes one after another, over all origins, when none becomes free', async () => {
    takeAll(4);
    takeAll(4, originOf('b.example.com'));
    await jest.advanceTimersByTimeAsync(0);
    expect(created).toHaveLength(2);
    await jest.advanceTimersByTimeAsync(20);
    expect(created).toHaveLength(3);
    await jest.advanceTimersByTimeAsync(10);
    expect(created).toHaveLength(5);
    await jest.advanceTimersByTimeAsync(100);
    expect(created).toHaveLength(8);
  });

  it('opens them faster while the process has time', async () => {
    isBusy = false;
    takeAll(20);
    await jest.advanceTimersByTimeAsync(40);
    expect(created).toHaveLength(20);
  });

  it('opens one at once when the only one in use breaks', async () => {
    const first = await lanes.take(A, WAIT_MS);
    const got = takeAll(1);
    lanes.release(first, false);
    await jest.advanceTimersByTimeAsync(0);
    expect(got).toEqual([created[1]]);
  });

  it('does not hand on a lane that is closed or too old', async () => {
    const first = await lanes.take(A, WAIT_MS);
    const got = takeAll(1);
    Object.assign(first, { isOpen: false });
    lanes.release(first, true);
    await jest.advanceTimersByTimeAsync(0);
    expect(got).toEqual([created[1]]);
  });

  it('lets nobody wait for longer than the call may take', async () => {
    await lanes.take(A, WAIT_MS);
    const failed = Promise.resolve(lanes.take(A, 10)).catch((error: unknown) => error);
    await jest.advanceTimersByTimeAsync(10);
    expect(await failed).toMatchObject({ code: 'timeout_connect', phase: 'connect' });
    // Nobody waits any more.
    await jest.advanceTimersByTimeAsync(1_000);
    expect(created).toHaveLength(1);
  });
});

/** The part of a lane that the pool uses. */
function lane(host: string, expiresAt = Number.POSITIVE_INFINITY) {
  const made = {
    origin: { origin: `https://${host}` },
    expiresAt,
    isOpen: true,
    destroy: async () => {
      made.isOpen = false;
    },
  };
  return made as typeof made & Lane;
}

const bounds = { maxIdlePerOrigin: 2, maxIdle: 3 };

describe('LanePool', () => {
  it('returns the most recently used lane of the same origin', () => {
    const pool = new LanePool(bounds);
    const [first, second] = [lane('a.example.com'), lane('a.example.com')];
    pool.put(first);
    pool.put(second);
    expect(pool.take('https://b.example.com')).toBeUndefined();
    expect([pool.take(A.origin), pool.take(A.origin), pool.take(A.origin)]).toEqual([second, first, undefined]);
    expect(pool.size).toBe(0);
  });

  it('closes lanes that are too old, both when they are returned and when they are taken', () => {
    const pool = new LanePool(bounds);
    const old = lane('a.example.com', performance.now());
    pool.put(old);
    expect(old.isOpen).toBe(false);
    const [ageing, young] = [lane('a.example.com'), lane('a.example.com')];
    pool.put(young);
    pool.put(ageing);
    Object.assign(ageing, { expiresAt: performance.now() });
    expect(pool.take(A.origin)).toBe(young);
    expect(ageing.isOpen).toBe(false);
    expect(pool.size).toBe(0);
  });

  it('does not keep a closed lane or more lanes per origin than allowed', () => {
    const pool = new LanePool(bounds);
    const [closed, ...open] = Array.from({ length: 4 }, () => lane('a.example.com'));
    closed!.isOpen = false;
    for (const one of [closed!, ...open]) pool.put(one);
    expect(pool.size).toBe(2);
    expect(open[2]!.isOpen).toBe(false);
  });

  it('closes the oldest lane of all origins when there are too many', () => {
    const pool = new LanePool(bounds);
    const lanes = ['a', 'b', 'c', 'd'].map((name) => lane(`${name}.example.com`));
    for (const one of lanes) pool.put(one);
    expect(pool.size).toBe(3);
    expect(lanes.map(({ isOpen }) => isOpen)).toEqual([false, true, true, true]);
  });

  it('drops an idle lane once and leaves a lane in use alone', () => {
    const pool = new LanePool(bounds);
    const [idle, used] = [lane('a.example.com'), lane('a.example.com')];
    pool.put(idle);
    pool.drop(used);
    expect(used.isOpen).toBe(true);
    pool.drop(idle);
    pool.drop(idle);
    expect([pool.size, idle.isOpen]).toEqual([0, false]);
  });

  it('closes all idle lanes', async () => {
    const pool = new LanePool(bounds);
    const one = lane('a.example.com');
    pool.put(one);
    await pool.close();
    expect([pool.size, one.isOpen]).toEqual([0, false]);
  });
});

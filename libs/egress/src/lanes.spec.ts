import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Origin } from './destination.js';
import type { Lane } from './lane.js';
import { LanePool, Lanes } from './lanes.js';

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

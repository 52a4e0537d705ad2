import { describe, expect, it } from '@jest/globals';
import type { Lane } from './lane.js';
import { LanePool } from './lanes.js';

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
const A = 'https://a.example.com';

describe('LanePool', () => {
  it('returns the most recently used lane of the same origin', () => {
    const pool = new LanePool(bounds);
    const [first, second] = [lane('a.example.com'), lane('a.example.com')];
    pool.put(first);
    pool.put(second);
    expect(pool.take('https://b.example.com')).toBeUndefined();
    expect([pool.take(A), pool.take(A), pool.take(A)]).toEqual([second, first, undefined]);
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
    expect(pool.take(A)).toBe(young);
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

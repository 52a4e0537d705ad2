import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type Connection, ConnectionPool, Connections } from './connections.js';
import type { Origin } from './destination.js';

const originOf = (host: string) => ({ origin: `https://${host}` }) as Origin;
const A = originOf('a.example.com');
const WAIT_MS = 15_000;

describe('Connections', () => {
  let created: Connection[];
  let connections: Connections;
  let isBusy: boolean;
  beforeEach(() => {
    jest.useFakeTimers();
    created = [];
    isBusy = true;
    connections = new Connections(
      new ConnectionPool({ maxIdlePerOrigin: 8, maxIdle: 8 }),
      (origin) => {
        const connection = {
          origin,
          expiresAt: Number.POSITIVE_INFINITY,
          isOpen: true,
          destroy: async () => undefined,
        };
        created.push(connection as Connection);
        return connection as Connection;
      },
      () => isBusy,
    );
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  /** Takes for as many requests, as they come at one moment; what each gets, once it has got it. */
  function takeAll(count: number, origin = A) {
    const got: (Connection | undefined)[] = Array(count).fill(undefined);
    for (let index = 0; index < count; index += 1) {
      void Promise.resolve(connections.take(origin, WAIT_MS)).then((connection) => {
        got[index] = connection;
      });
    }
    return got;
  }

  it('opens the first connection of an origin at once, and uses it again', async () => {
    const first = await connections.take(A, WAIT_MS);
    connections.release(first, true);
    expect(await connections.take(A, WAIT_MS)).toBe(first);
    await connections.take(originOf('b.example.com'), WAIT_MS);
    expect(created).toHaveLength(2);
  });

  it('gives a connection that becomes free within a moment to those who wait, in order, and opens no other', async () => {
    const first = await connections.take(A, WAIT_MS);
    const got = takeAll(2);
    await jest.advanceTimersByTimeAsync(19);
    connections.release(first, true);
    await jest.advanceTimersByTimeAsync(0);
    expect(got).toEqual([first, undefined]);
    connections.release(first, true);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(got).toEqual([first, first]);
    expect(created).toHaveLength(1);
  });

  it('opens further connections one after another, over all origins, when none becomes free', async () => {
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
    const first = await connections.take(A, WAIT_MS);
    const got = takeAll(1);
    connections.release(first, false);
    await jest.advanceTimersByTimeAsync(0);
    expect(got).toEqual([created[1]]);
  });

  it('does not hand on a connection that is closed or too old', async () => {
    const first = await connections.take(A, WAIT_MS);
    const got = takeAll(1);
    Object.assign(first, { isOpen: false });
    connections.release(first, true);
    await jest.advanceTimersByTimeAsync(0);
    expect(got).toEqual([created[1]]);
  });

  it('lets nobody wait for longer than the call may take', async () => {
    await connections.take(A, WAIT_MS);
    const failed = Promise.resolve(connections.take(A, 10)).catch((error: unknown) => error);
    await jest.advanceTimersByTimeAsync(10);
    expect(await failed).toMatchObject({ code: 'timeout_connect', phase: 'connect' });
    // Nobody waits any more.
    await jest.advanceTimersByTimeAsync(1_000);
    expect(created).toHaveLength(1);
  });
});

/** The part of a connection that the pool uses. */
function connection(host: string, expiresAt = Number.POSITIVE_INFINITY) {
  const made = {
    origin: { origin: `https://${host}` },
    expiresAt,
    isOpen: true,
    destroy: async () => {
      made.isOpen = false;
    },
  };
  return made as typeof made & Connection;
}

const bounds = { maxIdlePerOrigin: 2, maxIdle: 3 };

describe('ConnectionPool', () => {
  it('returns the most recently used connection of the same origin', () => {
    const pool = new ConnectionPool(bounds);
    const [first, second] = [connection('a.example.com'), connection('a.example.com')];
    pool.put(first);
    pool.put(second);
    expect(pool.take('https://b.example.com')).toBeUndefined();
    expect([pool.take(A.origin), pool.take(A.origin), pool.take(A.origin)]).toEqual([second, first, undefined]);
    expect(pool.size).toBe(0);
  });

  it('closes connections that are too old, both when they are returned and when they are taken', () => {
    const pool = new ConnectionPool(bounds);
    const old = connection('a.example.com', performance.now());
    pool.put(old);
    expect(old.isOpen).toBe(false);
    const [ageing, young] = [connection('a.example.com'), connection('a.example.com')];
    pool.put(young);
    pool.put(ageing);
    Object.assign(ageing, { expiresAt: performance.now() });
    expect(pool.take(A.origin)).toBe(young);
    expect(ageing.isOpen).toBe(false);
    expect(pool.size).toBe(0);
  });

  it('does not keep a closed connection or more connections per origin than allowed', () => {
    const pool = new ConnectionPool(bounds);
    const [closed, ...open] = Array.from({ length: 4 }, () => connection('a.example.com'));
    closed!.isOpen = false;
    for (const one of [closed!, ...open]) pool.put(one);
    expect(pool.size).toBe(2);
    expect(open[2]!.isOpen).toBe(false);
  });

  it('closes the oldest connection of all origins when there are too many', () => {
    const pool = new ConnectionPool(bounds);
    const connections = ['a', 'b', 'c', 'd'].map((name) => connection(`${name}.example.com`));
    for (const one of connections) pool.put(one);
    expect(pool.size).toBe(3);
    expect(connections.map(({ isOpen }) => isOpen)).toEqual([false, true, true, true]);
  });

  it('drops an idle connection once and leaves a connection in use alone', () => {
    const pool = new ConnectionPool(bounds);
    const [idle, used] = [connection('a.example.com'), connection('a.example.com')];
    pool.put(idle);
    pool.drop(used);
    expect(used.isOpen).toBe(true);
    pool.drop(idle);
    pool.drop(idle);
    expect([pool.size, idle.isOpen]).toEqual([0, false]);
  });

  it('closes all idle connections', async () => {
    const pool = new ConnectionPool(bounds);
    const one = connection('a.example.com');
    pool.put(one);
    await pool.close();
    expect([pool.size, one.isOpen]).toEqual([0, false]);
  });
});

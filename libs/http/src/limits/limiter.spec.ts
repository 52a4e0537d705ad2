import { describe, expect, it } from '@jest/globals';
import { Limiter } from './limiter.js';
import { type Limit, type LimitCounter, LimiterStore, MemoryLimiterStore, type Usage } from './limiter-store.js';

const LIMIT = { name: 'sign-in', points: 2, windowSeconds: 60 };
const REFUSED = {
  code: 'RATE_LIMITED',
  message: 'Too many attempts',
  extra: { limits: [{ name: 'sign-in', quota: 2, windowSeconds: 60, remaining: 0, resetSeconds: 60 }] },
};

/** A store whose counters answer later, as those of a server do. */
class DistantStore extends LimiterStore {
  private readonly memory = new MemoryLimiterStore();

  open(limit: Limit): LimitCounter {
    const counter = this.memory.open(limit);
    return { use: async (key) => counter.use(key), find: async (key) => counter.find(key) };
  }
}

describe.each([
  ['in memory', new MemoryLimiterStore()],
  ['on a server', new DistantStore()],
])('a limiter with its counts %s', (_, store) => {
  const limiter = () => new Limiter(store, LIMIT, 'Too many attempts');
  const consume = async (limit: Limiter, key: string) => limit.consume(key);

  it('returns the remaining points of a key and refuses when none are left, without affecting other keys', async () => {
    const limit = limiter();
    expect(await consume(limit, 'a')).toEqual({ ...REFUSED.extra.limits[0], remaining: 1 });
    expect((await consume(limit, 'a')).remaining).toBe(0);
    await expect(consume(limit, 'a')).rejects.toMatchObject(REFUSED);
    expect((await consume(limit, 'b')).remaining).toBe(1);
  });

  it('that counts failures refuses before the attempt and consumes no point for the check', async () => {
    const limit = limiter();
    for (let index = 0; index < 5; index += 1) await limit.refuseExhausted('a');
    await limit.penalise('a');
    await limit.refuseExhausted('a');
    await limit.penalise('a');
    await expect(limit.refuseExhausted('a')).rejects.toMatchObject(REFUSED);
  });
});

describe('a limiter', () => {
  it('names the limits that a refused call had passed', () => {
    const limit = new Limiter(new MemoryLimiterStore(), { ...LIMIT, points: 0 });
    const passed = { name: 'principal', quota: 9, windowSeconds: 60, remaining: 3, resetSeconds: 60 };
    expect(() => limit.consume('a', [passed])).toThrow(
      expect.objectContaining({
        extra: expect.objectContaining({ limits: [passed, expect.objectContaining(LIMIT_LEFT)] }),
      }),
    );
  });

  it('rounds the rest of the window up to whole seconds', async () => {
    const usages: Usage[] = [
      { used: 1, endsInMs: 1001 },
      { used: 1, endsInMs: 0 },
    ];
    const store = new MemoryLimiterStore();
    store.open = () => ({ use: () => usages.shift() as Usage, find: () => undefined });
    const limit = new Limiter(store, LIMIT);
    expect([limit.consume('a'), limit.consume('a')]).toMatchObject([{ resetSeconds: 2 }, { resetSeconds: 1 }]);
  });

  it('passes on the error of its store', async () => {
    const store = new DistantStore();
    store.open = () => ({
      use: async () => Promise.reject(new Error('The store is away')),
      find: async () => undefined,
    });
    await expect(new Limiter(store, LIMIT).consume('a')).rejects.toThrow('The store is away');
  });
});

const LIMIT_LEFT = { name: 'sign-in', quota: 0, remaining: 0 };

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Limiter } from '../src/limiter.js';
import type { LimiterStore } from '../src/limiter-store.js';
import { LimitsModule } from '../src/limits.module.js';
import { isShared, localDecisions, RedisLimiterStore } from '../src/redis/redis-limiter-store.js';
import { TestRedis } from './redis-server.js';

const LIMIT = { name: 'sign-in', points: 4, windowSeconds: 3600 };

describe('limits in Redis', () => {
  let redis: TestRedis;
  let key: string;
  let keys = 0;
  const stores: RedisLimiterStore[] = [];
  const lines: string[] = [];

  beforeAll(async () => {
    redis = await TestRedis.start();
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((line: { msg: string }) => void lines.push(line.msg));
    jest.spyOn(Logger.prototype, 'log').mockImplementation((line: string) => void lines.push(line));
  });
  beforeEach(() => {
    keys += 1;
    key = `key ${keys}`;
    lines.length = 0;
  });
  afterEach(() => {
    for (const store of stores.splice(0)) store.onApplicationShutdown();
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await redis.stop();
  });

  const open = (url = redis.url, service = 'identity') => {
    const store = new RedisLimiterStore(url, service);
    stores.push(store);
    return store;
  };
  const metricValue = async (metric: typeof isShared | typeof localDecisions) => (await metric.get()).values[0]?.value;
  const until = async (condition: () => boolean | Promise<boolean>) => {
    while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const isAsked = (store: LimiterStore) => () => new Limiter(store, LIMIT).consume('probe') instanceof Promise;
  const opened = async (service?: string) => {
    const store = open(redis.url, service);
    await until(isAsked(store));
    return store;
  };
  const consumed = async (limiter: Limiter, times: number) => {
    const results = Array.from({ length: times }, async () => limiter.consume(key));
    return (await Promise.allSettled(results)).filter(({ status }) => status === 'fulfilled').length;
  };

  it('hold for all replicas of a service together, and for each service separately', async () => {
    const replicas = [new Limiter(await opened(), LIMIT), new Limiter(await opened(), LIMIT)];
    const other = new Limiter(await opened('gateway'), LIMIT);
    const admitted = await Promise.all(replicas.map((replica) => consumed(replica, 10)));
    expect(admitted[0]! + admitted[1]!).toBe(4);
    expect(await consumed(other, 10)).toBe(4);
    await expect(Promise.resolve(replicas[1]!.consume(key))).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      extra: { retryAfterSeconds: 900, limits: [{ name: 'sign-in', quota: 4, windowSeconds: 3600, remaining: 0 }] },
    });
  });

  it('are asked for in one call by all requests of the same turn', async () => {
    const limiter = new Limiter(await opened(), { ...LIMIT, points: 1000 });
    const { script } = (limiter as unknown as { store: { script: { call: (args: string[]) => Promise<unknown> } } })
      .store;
    const calls = jest.spyOn(script, 'call');
    expect(await consumed(limiter, 250)).toBe(250);
    expect(calls).toHaveBeenCalledTimes(3);
  });

  it('hold in each replica while Redis is away, with one line in the log, and together again afterwards', async () => {
    const limiter = new Limiter(await opened(), LIMIT);
    await until(() => lines.length > 0);
    expect([lines, await metricValue(isShared)]).toEqual([
      ['Limits are counted in Redis, for all replicas together'],
      1,
    ]);
    lines.length = 0;
    const before = (await metricValue(localDecisions)) ?? 0;
    expect(await consumed(limiter, 3)).toBe(3);
    await redis.stop();
    // What was under way is decided too: nobody waits for a connection.
    expect(await consumed(limiter, 10)).toBe(4);
    await until(() => lines.length > 0);
    expect(() => limiter.consume(key)).toThrow(expect.objectContaining({ code: 'RATE_LIMITED' }));
    expect([lines.length, await metricValue(isShared)]).toEqual([1, 0]);
    expect(await metricValue(localDecisions)).toBeGreaterThanOrEqual(before + 11);
    // A server that has lost its scripts and its keys.
    await redis.start();
    await until(isAsked((limiter as unknown as { store: LimiterStore }).store));
    expect(await consumed(limiter, 10)).toBe(4);
    await until(() => lines.length > 1);
    expect([lines.at(-1), await metricValue(isShared)]).toEqual([
      'Limits are counted in Redis, for all replicas together',
      1,
    ]);
  });

  it('are decided within a quarter of a second when Redis hangs, and then at once', async () => {
    const store = await opened();
    const limiter = new Limiter(store, LIMIT);
    await limiter.consume(key);
    redis.freeze();
    try {
      expect(await consumed(limiter, 6)).toBe(4);
      expect(lines.at(-1)).toMatch(/^Redis cannot be asked/);
      expect(() => limiter.consume(key)).toThrow(expect.objectContaining({ code: 'RATE_LIMITED' }));
    } finally {
      redis.thaw();
    }
    await until(async () => {
      await new Limiter(store, LIMIT).consume(`${key} later ${performance.now()}`);
      return (await metricValue(isShared)) === 1;
    });
  });

  it('are still shared after the process itself was late: the answer came in time', async () => {
    const limiter = new Limiter(await opened(), LIMIT);
    await limiter.consume(key);
    const before = await metricValue(localDecisions);
    const late = consumed(limiter, 6);
    // In the turn after the one that sends the call.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    const end = performance.now() + 400;
    while (performance.now() < end);
    expect(await late).toBe(3);
    expect(await metricValue(localDecisions)).toBe(before);
  });

  it('hold from the start in a process that has never reached Redis', async () => {
    const limiter = new Limiter(open('redis://127.0.0.1:1'), LIMIT);
    expect(await consumed(limiter, 10)).toBe(4);
    await until(() => lines.length > 0);
    expect(lines).toEqual(['Redis cannot be asked; every replica counts limits by itself until it answers again']);
  });

  it('are those of a service that is given an address, and in memory otherwise', async () => {
    const storeOf = (redisUrl?: string) => {
      const [provider] = LimitsModule.forService({ redisUrl }, 'identity').providers as {
        useFactory: () => Promise<LimiterStore>;
      }[];
      return provider!.useFactory();
    };
    const shared = (await storeOf(redis.url)) as RedisLimiterStore;
    stores.push(shared);
    expect(shared).toBeInstanceOf(RedisLimiterStore);
    expect(isAsked(await storeOf())()).toBe(false);
  });
});

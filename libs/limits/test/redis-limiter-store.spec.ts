import { randomUUID } from 'node:crypto';
import { setTimeout as pass } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { createClient } from '@redis/client';
import fc from 'fast-check';
import { Limiter } from '../src/limiter.js';
import {
  type Claim,
  type Decision,
  type Limit,
  type LimiterStore,
  MemoryLimiterStore,
  type Operation,
} from '../src/limiter-store.js';
import { LimitsModule } from '../src/limits.module.js';
import { isShared, localDecisions, RedisLimiterStore } from '../src/redis/redis-limiter-store.js';
import { GCRA_SCRIPT, ScriptCall } from '../src/redis/redis-script.js';
import { startRedis, type TestRedis } from './redis-server.js';

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());

/** The store in memory, at the times of the server. */
class ReplayStore extends MemoryLimiterStore {
  at(nowUs: number): this {
    this.nowUs = () => nowUs;
    return this;
  }
}

/** From a use in some milliseconds to one in a minute, so that some debts end while a sequence runs and others do not. */
const LIMITS: readonly Limit[] = [
  { name: 'fast', points: 400, windowSeconds: 1, burst: 3 },
  { name: 'slow', points: 7, windowSeconds: 60 },
  { name: 'single', points: 1, windowSeconds: 1 },
  { name: 'none', points: 0, windowSeconds: 1 },
];

const operations = fc.record({
  operation: fc.constantFrom<Operation>('take', 'take', 'take', 'charge', 'restore', 'look'),
  claims: fc.uniqueArray(
    fc.record({ limit: fc.nat({ max: LIMITS.length - 1 }), key: fc.constantFrom('a', 'b', 'ä|:1') }),
    { minLength: 1, maxLength: 3, selector: ({ limit }) => limit },
  ),
  /** In succession, by as many requests. */
  times: fc.integer({ min: 1, max: 5 }),
});
/** Calls of the script, each with several operations, and milliseconds between them. */
const sequences = fc.array(
  fc.record({ together: fc.array(operations, { minLength: 1, maxLength: 4 }), waitMs: fc.constantFrom(0, 0, 0, 1, 4) }),
  { minLength: 1, maxLength: 12 },
);

describe('the script', () => {
  let client: ReturnType<typeof createClient>;

  beforeAll(async () => {
    client = createClient({ url: redis.url });
    await client.connect();
  });
  afterAll(() => client.destroy());

  const call = async (waiting: readonly { operation: Operation; claims: readonly Claim[] }[], prefix: string) => {
    const script = new ScriptCall(waiting.map((one) => ({ ...one, decide: () => undefined })));
    const answer: unknown = await client.sendCommand(['EVAL', GCRA_SCRIPT, ...script.arguments(prefix)]);
    return { nowUs: (answer as number[])[0] as number, decisions: script.decisions(answer) };
  };

  it('owes nothing to a clock of the server that was ahead', async () => {
    const claims = [{ open: new MemoryLimiterStore().open({ name: 'slow', points: 7, windowSeconds: 60 }), key: 'a' }];
    const take = () => call([{ operation: 'take' as const, claims }], 'ahead:');
    const { nowUs } = await take();
    await client.set('ahead:slow:a', String(nowUs + 3_600_000_000));
    expect((await take()).decisions).toEqual([{ refused: -1, debtsUs: [Math.ceil(60_000_000 / 7)] }]);
  });

  let sequence = 0;
  it('decides every sequence as the memory does at the same times', async () => {
    const admitted = { count: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(sequences, async (steps) => {
        sequence += 1;
        const memory = new ReplayStore();
        const open = LIMITS.map((limit) => memory.open(limit));
        for (const { together, waitMs } of steps) {
          const waiting = together.flatMap(({ operation, claims, times }) =>
            Array.from({ length: times }, () => ({
              operation,
              claims: claims.map(({ limit, key }) => ({ open: open[limit]!, key })),
            })),
          );
          const { nowUs, decisions } = await call(waiting, `${sequence}:`);
          const expected: Decision[] = waiting.map((one) => memory.at(nowUs).apply(one.operation, one.claims));
          expect(decisions).toEqual(expected);
          for (const { refused } of decisions) admitted[refused < 0 ? 'count' : 'refused'] += 1;
          await pass(waitMs);
        }
      }),
      { numRuns: 60 },
    );
    // Otherwise the sequences show nothing.
    expect(Math.min(admitted.count, admitted.refused)).toBeGreaterThan(50);
  });

  it('never admits more than the burst and what the time gives back', async () => {
    const limit = { name: 'connector', points: 100, windowSeconds: 1, burst: 30 };
    const open = new MemoryLimiterStore().open(limit);
    const take = { operation: 'take' as const, claims: [{ open, key: 'k' }] };
    const moments: number[] = [];
    const calls = Array.from({ length: 8 }, async () => {
      for (let n = 0; n < 40; n += 1) {
        const { nowUs, decisions } = await call([take, take], 'bound:');
        for (const { refused } of decisions) if (refused < 0) moments.push(nowUs);
        await pass(1);
      }
    });
    await Promise.all(calls);
    moments.sort((left, right) => left - right);
    for (let first = 0; first < moments.length; first += 1) {
      for (let last = first; last < moments.length; last += 1) {
        const seconds = (moments[last]! - moments[first]!) / 1e6;
        expect(last - first + 1).toBeLessThanOrEqual(30 + Math.floor(seconds * 100 + 1e-6));
      }
    }
    expect(moments.length).toBeGreaterThanOrEqual(30);
  });

  it('keeps a key no longer than it owes something, and writes none for what is refused or looked at', async () => {
    const open = new MemoryLimiterStore().open({ name: 'minute', points: 1, windowSeconds: 60 });
    const none = new MemoryLimiterStore().open({ name: 'none', points: 0, windowSeconds: 60 });
    const claims = [{ open, key: 'k' }];
    await call([{ operation: 'look', claims }], 'ttl:');
    await call([{ operation: 'take', claims: [...claims, { open: none, key: 'k' }] }], 'ttl:');
    expect(await client.keys('ttl:*')).toEqual([]);
    await call([{ operation: 'take', claims }], 'ttl:');
    const ms = await client.pTTL('ttl:minute:k');
    expect(ms).toBeGreaterThan(59_000);
    expect(ms).toBeLessThanOrEqual(60_000);
    await call([{ operation: 'restore', claims }], 'ttl:');
    expect(await client.keys('ttl:*')).toEqual([]);
  });
});

const LIMIT = { name: 'sign-in', points: 4, windowSeconds: 3600 };
const SHARED = 'Limits are counted in Redis, for all replicas together';

describe('limits in Redis', () => {
  let key: string;
  const stores: RedisLimiterStore[] = [];
  const lines: string[] = [];

  beforeAll(() => {
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((line: { msg: string }) => void lines.push(line.msg));
    jest.spyOn(Logger.prototype, 'log').mockImplementation((line: string) => void lines.push(line));
  });
  beforeEach(() => {
    key = `key ${randomUUID()}`;
    lines.length = 0;
  });
  afterEach(() => {
    for (const store of stores.splice(0)) store.onApplicationShutdown();
  });
  afterAll(() => void jest.restoreAllMocks());

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
    const store = await opened();
    const limiter = new Limiter(store, { ...LIMIT, points: 1000 });
    const calls = jest.spyOn((store as unknown as { script: { call: () => Promise<unknown> } }).script, 'call');
    expect(await consumed(limiter, 250)).toBe(250);
    expect(calls).toHaveBeenCalledTimes(3);
  });

  it('hold in each replica while Redis is away, with one line in the log, and together again afterwards', async () => {
    const store = await opened();
    const limiter = new Limiter(store, LIMIT);
    await until(() => lines.length > 0);
    expect([lines, await metricValue(isShared)]).toEqual([[SHARED], 1]);
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
    await until(isAsked(store));
    expect(await consumed(limiter, 10)).toBe(4);
    await until(() => lines.length > 1);
    expect([lines.at(-1), await metricValue(isShared)]).toEqual([SHARED, 1]);
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
      const [provider] = LimitsModule.forService({ redisUrl }, 'identity').providers ?? [];
      return (provider as { useFactory: () => Promise<LimiterStore> }).useFactory();
    };
    const shared = (await storeOf(redis.url)) as RedisLimiterStore;
    stores.push(shared);
    expect(shared).toBeInstanceOf(RedisLimiterStore);
    expect(isAsked(await storeOf())()).toBe(false);
  });
});

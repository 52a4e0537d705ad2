import { setTimeout as pass } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient } from '@redis/client';
import fc from 'fast-check';
import { type Claim, type Decision, type Limit, MemoryLimiterStore, type Operation } from '../src/limiter-store.js';
import { GCRA_SCRIPT, ScriptCall } from '../src/redis/redis-script.js';
import { TestRedis } from './redis-server.js';

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
  let redis: TestRedis;
  let client: ReturnType<typeof createClient>;

  beforeAll(async () => {
    redis = await TestRedis.start();
    client = createClient({ url: redis.url });
    await client.connect();
  });
  afterAll(async () => {
    client.destroy();
    await redis.stop();
  });

  const call = async (waiting: readonly { operation: Operation; claims: readonly Claim[] }[], prefix: string) => {
    const script = new ScriptCall(waiting.map((one) => ({ ...one, decide: () => undefined })));
    const answer: unknown = await client.sendCommand(['EVAL', GCRA_SCRIPT, ...script.arguments(prefix)]);
    return { nowUs: (answer as number[])[0] as number, decisions: script.decisions(answer) };
  };

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

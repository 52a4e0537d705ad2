import { setTimeout as delay } from 'node:timers/promises';
import { PlatformError } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import { HASH_POOL_DEFAULTS, HashPool, type HashPoolOptions } from './hash-pool.js';

/** A piece of work that ends when it is told to. */
class Work {
  begun = false;
  end: () => void = () => undefined;
  readonly run = (): Promise<void> => {
    this.begun = true;
    return new Promise((resolve) => {
      this.end = resolve;
    });
  };
}

const pool = (changes: Partial<HashPoolOptions> = {}) =>
  new HashPool({ ...HASH_POOL_DEFAULTS, concurrency: 1, queueLength: 3, queueMs: 60_000, ...changes });
/** A pool whose only slot is taken. */
function busy(source = 'a', changes = {}) {
  const [hashes, first] = [pool(changes), new Work()];
  const running = hashes.run(source, first.run);
  const letGo = () => {
    first.end();
    return running;
  };
  return { hashes, letGo };
}
const nothing = async () => undefined;
const outcome = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error: unknown) => (error instanceof PlatformError ? error : Promise.reject(error)),
  );
const REFUSED = { code: 'SERVICE_UNAVAILABLE', extra: { retryAfterSeconds: expect.any(Number) } };

describe('the pool of hashes', () => {
  it('runs as many at once as it may, and the others in the order in which they came', async () => {
    const hashes = pool({ concurrency: 2 });
    const works = Array.from({ length: 4 }, () => new Work());
    const runs = works.map(({ run }) => hashes.run('a', run));
    await delay(0);
    expect(works.map(({ begun }) => begun)).toEqual([true, true, false, false]);
    works[1]?.end();
    await runs[1];
    await delay(0);
    expect(works.map(({ begun }) => begun)).toEqual([true, true, true, false]);
    for (const work of works) work.end();
    await delay(0);
    works[3]?.end();
    await Promise.all(runs);
  });

  it('refuses with 503 what comes while the queue is full', async () => {
    const { hashes, letGo } = busy();
    const runs = [1, 2, 3].map(() => hashes.run('a', nothing));
    expect(await outcome(hashes.run('a', nothing))).toMatchObject(REFUSED);
    await letGo();
    await expect(Promise.all(runs)).resolves.toHaveLength(3);
  });

  it('refuses with 503 what has waited too long, and goes on with the others', async () => {
    const { hashes, letGo } = busy('a', { queueMs: 20 });
    const late = new Work();
    expect(await outcome(hashes.run('a', late.run))).toMatchObject(REFUSED);
    await letGo();
    expect(late.begun).toBe(false);
    expect(await hashes.run('b', async () => 'hash')).toBe('hash');
  });

  it('lets sources take turns, so that a flood from one does not delay another', async () => {
    const { hashes, letGo } = busy('flood');
    const order: string[] = [];
    const runs = ['flood 1', 'flood 2', 'person'].map((name) =>
      hashes.run(name.split(' ')[0] ?? '', async () => order.push(name)),
    );
    await delay(0);
    await letGo();
    await Promise.all(runs);
    expect(order).toEqual(['flood 1', 'person', 'flood 2']);
  });

  it('frees a position in a full queue for a source that has fewer in it', async () => {
    const { hashes, letGo } = busy('flood');
    const flood = [1, 2, 3].map(() => outcome(hashes.run('flood', nothing)));
    const person = outcome(hashes.run('person', nothing));
    expect(await flood[2]).toMatchObject(REFUSED);
    await letGo();
    expect(await Promise.all([flood[0], flood[1], person])).toEqual(['done', 'done', 'done']);
  });

  it('gives back its slot when the work fails', async () => {
    const hashes = pool();
    await expect(hashes.run('a', () => Promise.reject(new Error('broken hash')))).rejects.toThrow('broken hash');
    expect(await hashes.run('a', async () => 'next')).toBe('next');
  });

  it('does work that can wait only while nobody else needs the slot', async () => {
    const { hashes, letGo } = busy();
    expect(await hashes.runIfIdle(async () => 'rehashed')).toBeUndefined();
    await letGo();
    expect(await hashes.runIfIdle(async () => 'rehashed')).toBe('rehashed');
  });
});

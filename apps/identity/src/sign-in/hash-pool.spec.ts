import { setTimeout as delay } from 'node:timers/promises';
import { PlatformError } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import { HashPool } from './hash-pool.js';

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

const pool = (changes: Partial<{ concurrency: number; queueLength: number; queueMs: number }> = {}) =>
  new HashPool({ concurrency: 1, queueLength: 3, queueMs: 60_000, ...changes });
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
    const hashes = pool();
    const first = new Work();
    const runs = [hashes.run('a', first.run), ...[1, 2, 3].map(() => hashes.run('a', async () => undefined))];
    expect(await outcome(hashes.run('a', async () => undefined))).toMatchObject(REFUSED);
    first.end();
    await expect(Promise.all(runs)).resolves.toHaveLength(4);
  });

  it('refuses with 503 what has waited too long, and goes on with the others', async () => {
    const hashes = pool({ queueMs: 20 });
    const first = new Work();
    const running = hashes.run('a', first.run);
    const late = new Work();
    expect(await outcome(hashes.run('a', late.run))).toMatchObject(REFUSED);
    first.end();
    await running;
    expect(late.begun).toBe(false);
    expect(await hashes.run('b', async () => 'hash')).toBe('hash');
  });

  it('lets sources take turns, so that a flood from one does not delay another', async () => {
    const hashes = pool();
    const first = new Work();
    const order: string[] = [];
    const note = (name: string) => async () => {
      order.push(name);
    };
    const runs = [
      hashes.run('flood', first.run),
      hashes.run('flood', note('flood 1')),
      hashes.run('flood', note('flood 2')),
      hashes.run('person', note('person')),
    ];
    await delay(0);
    first.end();
    await Promise.all(runs);
    expect(order).toEqual(['flood 1', 'person', 'flood 2']);
  });

  it('makes room in a full queue for a source that has fewer in it', async () => {
    const hashes = pool();
    const first = new Work();
    const running = hashes.run('flood', first.run);
    const flood = [1, 2, 3].map(() => outcome(hashes.run('flood', async () => undefined)));
    const person = outcome(hashes.run('person', async () => undefined));
    expect(await flood[2]).toMatchObject(REFUSED);
    first.end();
    await running;
    expect(await Promise.all([flood[0], flood[1], person])).toEqual(['done', 'done', 'done']);
  });

  it('gives back its place when the work fails', async () => {
    const hashes = pool();
    await expect(hashes.run('a', () => Promise.reject(new Error('broken hash')))).rejects.toThrow('broken hash');
    expect(await hashes.run('a', async () => 'next')).toBe('next');
  });

  it('does work that can wait only while nobody else needs the place', async () => {
    const hashes = pool();
    const first = new Work();
    const running = hashes.run('a', first.run);
    expect(await hashes.runIfIdle(async () => 'rehashed')).toBeUndefined();
    first.end();
    await running;
    expect(await hashes.runIfIdle(async () => 'rehashed')).toBe('rehashed');
  });
});

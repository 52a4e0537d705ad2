import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { type Capacity, type Claimed, TenantShares, Worker, type WorkerOptions, type WorkItem } from './worker.js';

Logger.overrideLogger(false);

interface Job extends WorkItem {
  readonly name: string;
}

const tick = (ms = 5) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until something is so; the time limit of the test ends the wait. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await tick(1);
}

/** A queue in memory, in the order of the list. */
class TestWorker extends Worker<Job> {
  readonly capacities: Capacity[] = [];
  readonly released: string[] = [];
  readonly begun: string[] = [];
  readonly open = new Map<string, { end: () => void; fail: (error: Error) => void }>();
  queue: Job[] = [];
  dueInMs: number | null = null;
  failure: Error | undefined;
  beforeClaimed: () => void = () => undefined;
  refuses: string | undefined;

  constructor(options: Partial<WorkerOptions> = {}) {
    super({ slots: 4, longestPauseMs: 60_000, ...options });
  }

  add(...jobs: [tenantId: string, name: string][]): void {
    this.queue.push(...jobs.map(([tenantId, name]) => ({ tenantId, name })));
    this.wake();
  }

  trackWork<T>(work: Promise<T>): Promise<T> {
    return this.track(work);
  }

  protected async claim(capacity: Capacity): Promise<Claimed<Job>> {
    this.capacities.push(capacity);
    await tick(1);
    if (this.failure) throw this.failure;
    const items = this.queue.filter((job) => !capacity.fullTenants.includes(job.tenantId)).slice(0, capacity.slots);
    this.queue = this.queue.filter((job) => !items.includes(job));
    this.beforeClaimed();
    return { items, dueInMs: this.dueInMs };
  }

  protected async release(items: readonly Job[]): Promise<void> {
    this.released.push(...items.map(({ name }) => name));
    if (!this.stopping.aborted) this.queue.unshift(...items);
  }

  protected override accepts(job: Job): boolean {
    if (job.name !== this.refuses) return true;
    this.refuses = undefined;
    return false;
  }

  protected async work(job: Job): Promise<void> {
    this.begun.push(job.name);
    await new Promise<void>((resolve, reject) => {
      this.open.set(job.name, { end: resolve, fail: reject });
    });
  }
}

describe('a worker', () => {
  let worker: TestWorker;
  const start = (options?: Partial<WorkerOptions>) => {
    worker = new TestWorker(options);
    worker.onApplicationBootstrap();
    return worker;
  };
  const endAll = () => {
    for (const { end } of worker.open.values()) end();
  };
  afterEach(async () => {
    worker.queue = [];
    const stopped = worker.beforeApplicationShutdown();
    endAll();
    await stopped;
  });

  it('starts due items while it has free slots, and the rest when slots become free', async () => {
    start({ slots: 2 });
    worker.add(['a', '1'], ['b', '2'], ['c', '3']);
    await until(() => worker.begun.length === 2);
    await tick(20);
    expect(worker.begun).toEqual(['1', '2']);
    worker.open.get('2')?.end();
    await until(() => worker.begun.length === 3);
    expect(worker.begun).toEqual(['1', '2', '3']);
  });

  it('leaves slots for other tenants and keeps the order of released items', async () => {
    start();
    worker.add(['a', '1'], ['a', '2'], ['a', '3'], ['a', '4'], ['b', '5']);
    await until(() => worker.begun.length === 3 && worker.capacities.at(-1)?.slots === 1);
    await tick(30);
    expect(worker.begun).toEqual(['1', '2', '5']);
    expect(worker.queue.map(({ name }) => name)).toEqual(['3', '4']);
    expect(worker.capacities.at(-1)).toEqual({ slots: 1, fullTenants: ['a', 'b'] });
  });

  it('claims rarely while nothing is due', async () => {
    start();
    await tick(50);
    expect(worker.capacities).toHaveLength(1);
  });

  it('claims again when the next item is due, even if a claim found it taken', async () => {
    start();
    worker.dueInMs = 0;
    worker.wake();
    await tick(120);
    expect(worker.capacities.length).toBeGreaterThan(3);
    expect(worker.capacities.length).toBeLessThan(9);
  });

  it('loses no signal that arrives during a claim', async () => {
    start();
    worker.beforeClaimed = () => {
      worker.beforeClaimed = () => undefined;
      worker.add(['a', 'late']);
    };
    while (worker.begun.length === 0) await tick();
    expect(worker.begun).toEqual(['late']);
  });

  it('releases items that may not start now and claims again', async () => {
    start();
    worker.refuses = '1';
    worker.add(['a', '1']);
    await tick(30);
    expect(worker.released).toEqual(['1']);
    expect(worker.begun).toEqual(['1']);
  });

  it('frees the slot of work that failed', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error');
    start({ slots: 1 });
    worker.add(['a', '1'], ['b', '2']);
    await tick(20);
    worker.open.get('1')?.fail(new Error('broken'));
    await tick(20);
    expect(worker.begun).toEqual(['1', '2']);
    expect(logged.mock.calls).toEqual([[expect.objectContaining({ tenantId: 'a', err: new Error('broken') })]]);
    logged.mockRestore();
  });

  it('does not query an unavailable database more often, however often it is woken', async () => {
    start();
    worker.failure = new Error('no connection');
    for (let index = 0; index < 10; index += 1) {
      worker.wake();
      await tick();
    }
    expect(worker.capacities.length).toBeLessThanOrEqual(2);
  });

  it('at shutdown releases items it has just claimed and waits for running work', async () => {
    start();
    worker.add(['a', '1']);
    await tick(20);
    const ended = jest.fn();
    let stopped: Promise<unknown> | undefined;
    worker.beforeClaimed = () => {
      stopped = worker.beforeApplicationShutdown().then(ended);
    };
    worker.add(['b', '2']);
    await tick(20);
    expect(worker.released).toEqual(['2']);
    expect(ended).not.toHaveBeenCalled();
    endAll();
    await stopped;
    expect(worker.begun).toEqual(['1']);
  });

  it('at shutdown waits for work started outside its loop, even if that work fails', async () => {
    start();
    let fail: (error: Error) => void = () => undefined;
    const work = worker.trackWork(
      new Promise<void>((_resolve, reject) => {
        fail = reject;
      }),
    );
    const ended = jest.fn();
    const stopped = worker.beforeApplicationShutdown().then(ended);
    await tick();
    expect(ended).not.toHaveBeenCalled();
    fail(new Error('gone'));
    await expect(work).rejects.toThrow('gone');
    await stopped;
  });
});

/** Starts as much work as the tenant may. */
function fill(shares: TenantShares, tenantId: string): number {
  let begun = 0;
  for (; shares.mayBegin(tenantId); begun += 1) shares.begun(tenantId);
  return begun;
}

describe('the shares of tenants', () => {
  it('leave slots for the next tenant, however much work earlier ones have', () => {
    const shares = new TenantShares(32);
    expect(['a', 'b', 'c', 'd', 'e'].map((tenant) => fill(shares, tenant))).toEqual([16, 8, 4, 2, 1]);
    expect(shares.full().sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(shares.mayBegin('f')).toBe(true);
  });

  it('are smaller with a smaller part of the free slots, so that more tenants leave some', () => {
    const shares = new TenantShares(256, 0.25);
    const begun = Array.from({ length: 20 }, (_value, n) => fill(shares, String(n)));
    expect([begun[0], begun.at(-1)]).toEqual([52, 1]);
    expect(shares.mayBegin('another')).toBe(true);
  });

  it('grow again when work of any tenant ends', () => {
    const shares = new TenantShares(4);
    expect(fill(shares, 'a')).toBe(2);
    expect(fill(shares, 'b')).toBe(1);
    shares.ended('a');
    expect(shares.full()).toEqual([]);
    expect(fill(shares, 'b')).toBe(1);
    for (const tenant of ['a', 'b', 'b']) shares.ended(tenant);
    expect(shares.free).toBe(4);
    expect(shares.full()).toEqual([]);
  });

  it('of a single slot go to the first tenant, and of no slot to none', () => {
    expect(new TenantShares(1).mayBegin('a')).toBe(true);
    expect(new TenantShares(0).mayBegin('a')).toBe(false);
  });
});

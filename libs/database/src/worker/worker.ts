import { type BeforeApplicationShutdown, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Backoff, pause } from './backoff.js';

/** A wait that a signal ends early; a signal while nothing waits ends the next wait at once. One caller at a time. */
export class Wake {
  private signalled = false;
  private end: (() => void) | undefined;

  signal(): void {
    this.signalled = true;
    this.end?.();
  }

  async wait(ms: number): Promise<void> {
    if (!this.signalled) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.end = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.end = undefined;
    }
    this.signalled = false;
  }
}

/**
 * A tenant may start more while it has fewer running than slots are free, so that one whose work never ends leaves
 * slots for others (dynamic threshold of Choudhury and Hahne, IEEE/ACM ToN 6(2), 1998).
 */
export class TenantShares {
  private readonly underWay = new Map<string, number>();
  private total = 0;

  /** @param alpha the part of the free slots that it may use: 1, or less where many such tenants are expected */
  constructor(
    private readonly slots: number,
    private readonly alpha = 1,
  ) {}

  get free(): number {
    return Math.max(0, this.slots - this.total);
  }

  mayBegin(tenantId: string): boolean {
    return (this.underWay.get(tenantId) ?? 0) < this.free * this.alpha;
  }

  begun(tenantId: string): void {
    this.underWay.set(tenantId, (this.underWay.get(tenantId) ?? 0) + 1);
    this.total += 1;
  }

  ended(tenantId: string): void {
    const left = (this.underWay.get(tenantId) ?? 0) - 1;
    if (left > 0) this.underWay.set(tenantId, left);
    else this.underWay.delete(tenantId);
    this.total -= 1;
  }

  /** How many of each tenant are under way. */
  get counts(): ReadonlyMap<string, number> {
    return this.underWay;
  }

  full(): string[] {
    return [...this.underWay.keys()].filter((tenantId) => !this.mayBegin(tenantId));
  }
}

/** Shortest pause when something is due but could not be claimed, because another process is claiming it. */
const SHORTEST_PAUSE_MS = 20;
/** Pauses after failed claims; signals do not shorten them, so that an unavailable database is not overloaded. */
const AFTER_FAILURE = Backoff.doubling(1_000, 5_000);

export interface WorkItem {
  readonly tenantId: string;
}

export interface Capacity {
  /** Total number of items; at least 1. */
  readonly slots: number;
  /** Tenants that have used their share: none of their items may be claimed now. */
  readonly fullTenants: readonly string[];
}

export interface Claimed<Item extends WorkItem> {
  readonly items: readonly Item[];
  /** True when more may be due than this claim examined; then the next claim follows at once even if this one was empty. */
  readonly isCut?: boolean;
  /** Milliseconds until the next item is due, null if none waits, of a claim without items. Default: the longest pause. */
  readonly dueInMs?: number | null;
}

/** For a claim that cannot be made yet, because the process does not know all that it needs for it. */
export const LOOK_AGAIN_SOON: Claimed<never> = { items: [], dueInMs: 100 };

export interface WorkerOptions {
  readonly slots: number;
  /** Milliseconds between two claims at most: the delay after a lost signal or the death of another process. */
  readonly longestPauseMs: number;
  /** Ends pauses early; by default the worker creates its own. */
  readonly wake?: Wake;
}

/**
 * Claims due items with a lease, and again when woken, when an item ends or is due. All state is in Postgres: items of
 * a dead process are due again when their leases expire. Shutdown waits for running work.
 */
export abstract class Worker<Item extends WorkItem> implements OnApplicationBootstrap, BeforeApplicationShutdown {
  protected readonly logger = new Logger(this.constructor.name);
  protected readonly shares: TenantShares;
  private readonly signal: Wake;
  private readonly longestPauseMs: number;
  private readonly underWay = new Set<Promise<unknown>>();
  private readonly stop = new AbortController();
  private running: Promise<void> | undefined;

  constructor({ slots, longestPauseMs, wake = new Wake() }: WorkerOptions) {
    this.shares = new TenantShares(slots);
    this.signal = wake;
    this.longestPauseMs = longestPauseMs;
  }

  /** Claims due items, except those that `capacity` excludes, for a lease that is longer than `work` takes or that it renews. */
  protected abstract claim(capacity: Capacity): Promise<Claimed<Item>>;

  /** Releases items that were claimed but not started; they keep their place in the queue. */
  protected abstract release(items: readonly Item[]): Promise<void>;

  /** @param yieldSlot gives the slot away while the rest of the work only waits; the implementation bounds how many do */
  protected abstract work(item: Item, stopping: AbortSignal, yieldSlot: () => void): Promise<void>;

  /** Called right before `work`: what that changes before its first await affects the next item. If false, it is released. */
  protected accepts(_item: Item): boolean {
    return true;
  }

  protected describe(item: Item): Record<string, unknown> {
    return { tenantId: item.tenantId };
  }

  onApplicationBootstrap(): void {
    this.running ??= this.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stop.abort();
    this.signal.signal();
    await this.running;
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  /** Claims due items now; call it after the commit that stored some. */
  wake(): void {
    this.signal.signal();
  }

  protected get stopping(): AbortSignal {
    return this.stop.signal;
  }

  /** Makes shutdown wait for work that was started outside the loop and uses none of its slots. */
  protected track<T>(work: Promise<T>): Promise<T> {
    const settled: Promise<unknown> = Promise.allSettled([work]).then(() => this.underWay.delete(settled));
    this.underWay.add(settled);
    return work;
  }

  private async run(): Promise<void> {
    let failures = 0;
    while (!this.stopping.aborted) {
      try {
        const pauseMs = await this.look();
        failures = 0;
        if (pauseMs > 0 && !this.stopping.aborted) await this.signal.wait(pauseMs);
      } catch (error) {
        failures += 1;
        this.logger.error({ msg: 'Due work could not be claimed; the next claim tries again', err: error });
        await pause(AFTER_FAILURE.delayMs(failures), this.stopping);
      }
    }
  }

  private async look(): Promise<number> {
    const slots = this.shares.free;
    if (slots === 0) return this.longestPauseMs;
    const { items, isCut, dueInMs } = await this.claim({ slots, fullTenants: this.shares.full() });
    const surplus = items.filter((item) => !this.begin(item));
    if (surplus.length > 0) await this.release(surplus);
    if (items.length > 0 || isCut) return 0;
    return Math.min(this.longestPauseMs, Math.max(SHORTEST_PAUSE_MS, dueInMs ?? this.longestPauseMs));
  }

  private begin(item: Item): boolean {
    if (this.stopping.aborted || !this.shares.mayBegin(item.tenantId) || !this.accepts(item)) return false;
    this.shares.begun(item.tenantId);
    void this.track(this.carryOut(item));
    return true;
  }

  private async carryOut(item: Item): Promise<void> {
    let hasSlot = true;
    const yieldSlot = () => {
      if (!hasSlot) return;
      hasSlot = false;
      this.shares.ended(item.tenantId);
      this.signal.signal();
    };
    try {
      await this.work(item, this.stopping, yieldSlot);
    } catch (error) {
      const msg = 'Work failed; it is tried again when its lease expires';
      this.logger.error({ msg, ...this.describe(item), err: error });
    } finally {
      yieldSlot();
    }
  }
}

import { type BeforeApplicationShutdown, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Backoff } from './backoff.js';
import { pause } from './pause.js';
import { TenantShares } from './tenant-shares.js';
import { Wake } from './wake.js';

/** Shortest pause when something is due but could not be claimed, because another process is claiming it. */
const SHORTEST_PAUSE_MS = 20;
/** Pauses after failed claims; signals do not shorten them, so that an unavailable database is not overloaded. */
const AFTER_FAILURE = Backoff.doubling(1_000, 5_000);

export interface WorkItem {
  readonly tenantId: string;
}

/** How much work a worker can accept. */
export interface Room {
  /** Total number of items; at least 1. */
  readonly places: number;
  /** Tenants that have used their share: none of their items may be claimed now. */
  readonly fullTenants: readonly string[];
}

export interface Claimed<Item extends WorkItem> {
  readonly items: readonly Item[];
  /** Whether more may be due than this claim examined; then the next claim follows at once even if this one was empty. */
  readonly isCut?: boolean;
  /**
   * Milliseconds until the next acceptable item is due, 0 if one is due already, null if none is waiting. Used only for a
   * claim without items. Without it the next claim follows after the longest pause.
   */
  readonly dueInMs?: number | null;
}

/** For a claim that cannot be made yet, because the process does not know all that it needs for it. */
export const LOOK_AGAIN_SOON: Claimed<never> = { items: [], dueInMs: 100 };

export interface WorkerOptions {
  /** Concurrent items. */
  readonly places: number;
  /**
   * Longest pause between two claims, in milliseconds: the delay after a lost signal, for work that another process
   * stored, and after the death of another process.
   */
  readonly longestPauseMs: number;
  /** Ends pauses early; by default the worker creates its own. */
  readonly wake?: Wake;
}

/**
 * The loop of a background worker. It claims due items with a lease, as many as it has places for, works on them
 * concurrently with a share of the places for each tenant, and claims again when it is woken, when an item ends, and when
 * the next one is due. All state is in Postgres: the items of a process that dies are due again when their leases expire.
 *
 * It starts and stops with the application. At shutdown it claims nothing more and waits for running work, while the
 * database, the broker and the other services are still available.
 */
export abstract class Worker<Item extends WorkItem> implements OnApplicationBootstrap, BeforeApplicationShutdown {
  protected readonly logger = new Logger(this.constructor.name);
  private readonly shares: TenantShares;
  private readonly signal: Wake;
  private readonly longestPauseMs: number;
  private readonly underWay = new Set<Promise<unknown>>();
  private readonly stop = new AbortController();
  private running: Promise<void> | undefined;

  constructor({ places, longestPauseMs, wake = new Wake() }: WorkerOptions) {
    this.shares = new TenantShares(places);
    this.signal = wake;
    this.longestPauseMs = longestPauseMs;
  }

  /**
   * Claims due items for this process, for a lease that is longer than `work` can take or that `work` renews. One statement
   * for all of them, which also returns what `work` needs. Must not claim items that `room` excludes.
   */
  protected abstract claim(room: Room): Promise<Claimed<Item>>;

  /** Releases items that were claimed but not started; they keep their place in the queue. */
  protected abstract release(items: readonly Item[]): Promise<void>;

  /**
   * Works on an item and stores the outcome. If it rejects, the item is due again when its lease expires.
   * @param stopping aborted when the process ends: long work then stops at the next suitable point and releases the item
   * @param yieldPlace lets another item have the place of this one, for the rest of the work: it only waits, and the
   *   implementation bounds how many do
   */
  protected abstract work(item: Item, stopping: AbortSignal, yieldPlace: () => void): Promise<void>;

  /**
   * Whether the item may start now; if not, it is released. Called right before `work`, so state that `work` changes
   * before its first await already affects the next item.
   */
  protected accepts(_item: Item): boolean {
    return true;
  }

  /** Log fields for an item whose work failed. */
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

  /** Aborted when the process ends. */
  protected get stopping(): AbortSignal {
    return this.stop.signal;
  }

  /**
   * Makes shutdown wait for work that was started outside the loop and uses none of its places.
   * @returns the work itself; its failure is the caller's
   */
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

  /** @returns milliseconds until the next claim is worthwhile */
  private async look(): Promise<number> {
    const places = this.shares.free;
    if (places === 0) return this.longestPauseMs;
    const { items, isCut, dueInMs } = await this.claim({ places, fullTenants: this.shares.full() });
    const surplus = items.filter((item) => !this.begin(item));
    if (surplus.length > 0) await this.release(surplus);
    if (items.length > 0 || isCut) return 0;
    return Math.min(this.longestPauseMs, Math.max(SHORTEST_PAUSE_MS, dueInMs ?? this.longestPauseMs));
  }

  /** @returns false when the item may not start now */
  private begin(item: Item): boolean {
    if (this.stopping.aborted || !this.shares.mayBegin(item.tenantId) || !this.accepts(item)) return false;
    this.shares.begun(item.tenantId);
    void this.track(this.carryOut(item));
    return true;
  }

  private async carryOut(item: Item): Promise<void> {
    let hasPlace = true;
    const yieldPlace = () => {
      if (!hasPlace) return;
      hasPlace = false;
      this.shares.ended(item.tenantId);
      this.signal.signal();
    };
    try {
      await this.work(item, this.stopping, yieldPlace);
    } catch (error) {
      const msg = 'Work failed; it is tried again when its lease expires';
      this.logger.error({ msg, ...this.describe(item), err: error });
    } finally {
      yieldPlace();
    }
  }
}

import { type BeforeApplicationShutdown, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Backoff } from './backoff.js';
import { pause } from './pause.js';
import { TenantShares } from './tenant-shares.js';
import { Wake } from './wake.js';

/** The shortest pause when something is due and could not be claimed: another process is claiming it. */
const SHORTEST_PAUSE_MS = 20;
/** Pauses after looks that failed; signals do not shorten them, so that a database that is away is not asked in a rush. */
const AFTER_FAILURE = Backoff.doubling(1_000, 5_000);

export interface WorkItem {
  readonly tenantId: string;
}

/** What a worker has room for. */
export interface Room {
  /** Items in all; at least 1. */
  readonly places: number;
  /** Tenants whose share is under way: nothing of theirs is claimed now. */
  readonly fullTenants: readonly string[];
}

export interface Claimed<Item extends WorkItem> {
  readonly items: readonly Item[];
  /** Whether more may be due than this claim looked at; then the next look follows at once even if it brought nothing. */
  readonly isCut?: boolean;
  /**
   * Milliseconds until the next item that there is room for is due, 0 when one is already; null when none waits. Read
   * only of a claim without items. Without it the next look follows after the longest pause.
   */
  readonly dueInMs?: number | null;
}

export interface WorkerOptions {
  /** Items worked on at a time. */
  readonly places: number;
  /**
   * Milliseconds: the longest pause between two looks. It is what a lost signal, work that another process stored and the
   * death of another process cost.
   */
  readonly longestPauseMs: number;
  /** Cuts pauses short; one of the worker's own when left out. */
  readonly wake?: Wake;
}

/**
 * The loop of a background worker. It claims due items with a lease, as many as it has places for, works on them side by
 * side with a share of the places for each tenant, and looks again when it is woken, when an item ended, and when the
 * next one is due. Postgres holds the truth: what a process forgets by dying is due again when its lease has run out.
 *
 * It starts and stops with the application. At the end it claims nothing more and waits for what is under way, while the
 * database, the broker and the neighbours are still there.
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
   * Takes due items for this process alone, for the time of a lease that is longer than `work` can take or that `work`
   * renews. One statement for all of them, which brings what `work` needs; no item is claimed that the room excludes.
   */
  protected abstract claim(room: Room): Promise<Claimed<Item>>;

  /** Gives back items that were claimed and not begun; they keep their place in the line. */
  protected abstract release(items: readonly Item[]): Promise<void>;

  /**
   * Works on an item and stores what came of it. When it rejects, the item is left to the end of its lease.
   * @param stopping aborted when the process ends: long work then stops at the next good place and gives the item back
   */
  protected abstract work(item: Item, stopping: AbortSignal): Promise<void>;

  /**
   * Whether the item may begin now. Asked right before `work` is called, so what `work` notes before it first waits
   * counts for the next item. One that may not is released.
   */
  protected accepts(_item: Item): boolean {
    return true;
  }

  /** What the log says of an item whose work broke off. */
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

  /** Looks for due items now; called after the commit that stored some. */
  wake(): void {
    this.signal.signal();
  }

  /** Aborted when the process ends. */
  protected get stopping(): AbortSignal {
    return this.stop.signal;
  }

  /**
   * Makes the end of the process wait for work that was begun beside the loop and takes none of its places.
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
        this.logger.error({ msg: 'Due work could not be claimed; the next look tries again', err: error });
        await pause(AFTER_FAILURE.delayMs(failures), this.stopping);
      }
    }
  }

  /** @returns milliseconds until the next look is worth while */
  private async look(): Promise<number> {
    const places = this.shares.free;
    if (places === 0) return this.longestPauseMs;
    const { items, isCut, dueInMs } = await this.claim({ places, fullTenants: this.shares.full() });
    const surplus = items.filter((item) => !this.begin(item));
    if (surplus.length > 0) await this.release(surplus);
    if (items.length > 0 || isCut) return 0;
    return Math.min(this.longestPauseMs, Math.max(SHORTEST_PAUSE_MS, dueInMs ?? this.longestPauseMs));
  }

  /** @returns false when the item may not begin now */
  private begin(item: Item): boolean {
    if (this.stopping.aborted || !this.shares.mayBegin(item.tenantId) || !this.accepts(item)) return false;
    this.shares.begun(item.tenantId);
    void this.track(this.carryOut(item));
    return true;
  }

  private async carryOut(item: Item): Promise<void> {
    try {
      await this.work(item, this.stopping);
    } catch (error) {
      const msg = 'Work broke off; it is taken up again when its lease has run out';
      this.logger.error({ msg, ...this.describe(item), err: error });
    } finally {
      this.shares.ended(item.tenantId);
      this.signal.signal();
    }
  }
}

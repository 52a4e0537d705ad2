import { availableParallelism } from 'node:os';
import { PlatformError } from '@crm/contracts';
import { counter, gauge, histogram } from '@crm/telemetry';
import { Injectable } from '@nestjs/common';

/** From half a millisecond to the ten seconds that a queue may be configured to wait. */
const BUCKETS = [0.0005, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 5, 10];

export const queueLength = gauge('password_hash_queue_length', 'Passwords that wait to be hashed or checked');

export const waitSeconds = histogram(
  'password_hash_wait_seconds',
  'Time that a password waited before it was hashed or checked',
  [],
  BUCKETS,
);

/** `full`: the queue was full; `old`: it waited too long; `displaced`: another source had fewer in the queue. */
export const refusals = counter(
  'password_hash_refusals_total',
  'Passwords that were neither hashed nor checked, answered with 503',
  ['reason'],
);

export interface HashPoolOptions {
  /** What each hash costs, as Argon2id counts it (memory in KiB). Tests alone have another one. */
  readonly cost: { readonly memoryCost: number; readonly timeCost: number; readonly parallelism: number };
  /** Hashes at the same time; each takes a core and 19 MiB. */
  readonly concurrency: number;
  readonly queueLength: number;
  readonly queueMs: number;
}

/** libuv has four threads for everything that blocks: one is left for name lookups and files. */
const MOST_THREADS = 3;

/** One more than there are cores: a core would wait for the event loop between two hashes (decision record 0175). */
export const HASH_POOL_DEFAULTS: HashPoolOptions = {
  // The first choice of the OWASP Password Storage Cheat Sheet: 19 MiB, two passes, one thread (`p`).
  cost: { memoryCost: 19_456, timeCost: 2, parallelism: 1 },
  concurrency: Math.min(availableParallelism() + 1, MOST_THREADS),
  queueLength: 150,
  queueMs: 5000,
};

interface Waiting {
  readonly since: number;
  readonly begin: () => void;
  readonly refuse: (reason: 'full' | 'old' | 'displaced') => void;
}

/** Sources (addresses, users) take turns: a flood from one delays each of the others by one hash. */
@Injectable()
export class HashPool {
  /** The next turn is that of the first key. */
  private readonly waiting = new Map<string, Waiting[]>();
  private length = 0;
  private running = 0;

  constructor(private readonly options: HashPoolOptions = HASH_POOL_DEFAULTS) {}

  get cost(): HashPoolOptions['cost'] {
    return this.options.cost;
  }

  /** @throws PlatformError SERVICE_UNAVAILABLE when too many wait or this one has waited too long */
  async run<T>(source: string, work: () => Promise<T>): Promise<T> {
    await this.reserve(source);
    return this.finish(work);
  }

  /** Like run, but never waits. @returns undefined when there is no free slot at once */
  async runIfIdle<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.length > 0 || this.running >= this.options.concurrency) return undefined;
    this.running += 1;
    return this.finish(work);
  }

  private async finish<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      this.running -= 1;
      this.beginNext();
    }
  }

  /** Resolves when it is this one's turn; the slot is taken then. */
  private reserve(source: string): Promise<void> {
    if (this.running < this.options.concurrency) {
      this.running += 1;
      waitSeconds.observe(0);
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      if (this.length >= this.options.queueLength && !this.evictFor(source)) {
        reject(this.refusal('full'));
        return;
      }
      const since = performance.now();
      const timer = setTimeout(() => this.giveUp(source, entry), this.options.queueMs);
      const entry: Waiting = {
        since,
        begin: () => {
          clearTimeout(timer);
          waitSeconds.observe((performance.now() - since) / 1000);
          resolve();
        },
        refuse: (reason) => {
          clearTimeout(timer);
          reject(this.refusal(reason));
        },
      };
      const line = this.waiting.get(source);
      if (line) line.push(entry);
      else this.waiting.set(source, [entry]);
      this.count(1);
    });
  }

  private beginNext(): void {
    const [next] = this.waiting;
    if (!next || this.running >= this.options.concurrency) return;
    const [source, line] = next;
    const entry = line.shift();
    this.waiting.delete(source);
    // To the end of the round.
    if (line.length > 0) this.waiting.set(source, line);
    this.count(-1);
    this.running += 1;
    entry?.begin();
  }

  /** @returns whether a position is free now: the latest of the source with most has gone */
  private evictFor(source: string): boolean {
    const [longest, line] = [...this.waiting].reduce((left, right) =>
      right[1].length > left[1].length ? right : left,
    );
    if (line.length <= (this.waiting.get(source)?.length ?? 0) + 1) return false;
    const displaced = line.pop();
    if (line.length === 0) this.waiting.delete(longest);
    this.count(-1);
    displaced?.refuse('displaced');
    return true;
  }

  private giveUp(source: string, entry: Waiting): void {
    const line = this.waiting.get(source);
    const index = line?.indexOf(entry) ?? -1;
    if (!line || index < 0) return;
    line.splice(index, 1);
    if (line.length === 0) this.waiting.delete(source);
    this.count(-1);
    entry.refuse('old');
  }

  private count(change: 1 | -1): void {
    this.length += change;
    queueLength.set(this.length);
  }

  private refusal(reason: 'full' | 'old' | 'displaced'): PlatformError {
    refusals.inc({ reason });
    const retryAfterSeconds = Math.ceil(this.options.queueMs / 1000);
    return new PlatformError('SERVICE_UNAVAILABLE', 'Too many passwords are being checked. Try again in a second', {
      retryAfterSeconds,
    });
  }
}

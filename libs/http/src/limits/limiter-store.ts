import { Injectable } from '@nestjs/common';
import { MemoryCounter } from './memory-counter.js';

export interface Limit {
  /** The name of the policy in responses; different limits have separate keys. */
  readonly name: string;
  /** Points of one key in one window. */
  readonly points: number;
  readonly windowSeconds: number;
}

/** The points that a key has used in its present window. */
export interface Usage {
  readonly used: number;
  /** Milliseconds until the window ends. */
  readonly endsInMs: number;
}

/** Counts for one limit. A counter in memory answers at once; one that asks a server returns promises. */
export interface LimitCounter {
  /** Uses one point of the key, also when it has none left. The first use of a key begins its window. */
  use(key: string): Usage | Promise<Usage>;
  /** Uses nothing. @returns undefined for a key without a window */
  find(key: string): Usage | undefined | Promise<Usage | undefined>;
}

/** Where limits are counted: a token of Nest's injection, so that one provider replaces the store of a whole service. */
export abstract class LimiterStore {
  abstract open(limit: Limit): LimitCounter;
}

/**
 * Counts in the memory of the process: N replicas allow N times as much. To share limits between replicas, provide a store
 * whose counters ask a server, such as those of rate-limiter-flexible for Redis and Valkey.
 */
@Injectable()
export class MemoryLimiterStore extends LimiterStore {
  open({ windowSeconds }: Limit): LimitCounter {
    return new MemoryCounter(windowSeconds * 1000);
  }
}

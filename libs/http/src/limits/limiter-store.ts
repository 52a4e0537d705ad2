import { Injectable } from '@nestjs/common';
import { type RateLimiterAbstract, RateLimiterMemory } from 'rate-limiter-flexible';

export interface Limit {
  /** The name of the policy in responses; different limits have separate keys. */
  readonly name: string;
  /** Points of one key in one window. */
  readonly points: number;
  readonly windowSeconds: number;
}

/** Where limits are counted: a token of Nest's injection, so that one provider replaces the store of a whole service. */
export abstract class LimiterStore {
  abstract open(limit: Limit): RateLimiterAbstract;
}

/**
 * Counts in the memory of the process: N replicas allow N times as much. To share limits between replicas, use a store that
 * opens a `RateLimiterRedis` or `RateLimiterValkey` of the same library.
 */
@Injectable()
export class MemoryLimiterStore extends LimiterStore {
  open({ name, points, windowSeconds }: Limit): RateLimiterAbstract {
    return new RateLimiterMemory({ keyPrefix: name, points, duration: windowSeconds });
  }
}

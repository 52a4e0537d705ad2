import { Injectable } from '@nestjs/common';
import { type RateLimiterAbstract, RateLimiterMemory } from 'rate-limiter-flexible';

export interface Limit {
  /** Stands as the name of the policy in the answers; keys of different limits never meet. */
  readonly name: string;
  /** Points of one key in one window. */
  readonly points: number;
  readonly windowSeconds: number;
}

/** Where limits are counted: a token of Nest's injection, so that one provider exchanges the store of a whole service. */
export abstract class LimiterStore {
  abstract open(limit: Limit): RateLimiterAbstract;
}

/**
 * Counts in the memory of the process: N replicas allow N times as much. Replicas share their limits by a store that
 * opens a `RateLimiterRedis` or `RateLimiterValkey` of the same library.
 */
@Injectable()
export class MemoryLimiterStore extends LimiterStore {
  open({ name, points, windowSeconds }: Limit): RateLimiterAbstract {
    return new RateLimiterMemory({ keyPrefix: name, points, duration: windowSeconds });
  }
}

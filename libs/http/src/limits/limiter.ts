import type { LimitState } from '@crm/contracts';
import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { limitState, rateLimited } from '../problem/rate-limits.js';
import type { Limit, LimiterStore } from './limiter-store.js';

/** One limit for any number of keys, with a fixed window per key. */
export class Limiter {
  private readonly counts: RateLimiterAbstract;

  /** @param refusal error detail; default: that of RATE_LIMITED */
  constructor(
    store: LimiterStore,
    limit: Limit,
    private readonly refusal?: string,
  ) {
    this.counts = store.open(limit);
  }

  /**
   * Consumes one point of the key.
   * @param earlier limits that the call has passed already, for the answer when this one refuses it
   * @returns the remaining points
   * @throws PlatformError RATE_LIMITED when none was left
   */
  async consume(key: string, earlier: readonly LimitState[] = []): Promise<LimitState> {
    try {
      return limitState(this.counts, await this.counts.consume(key));
    } catch (refused) {
      // The library rejects with the key's state when it refuses, with an error when it fails.
      if (!(refused instanceof RateLimiterRes)) throw refused;
      throw rateLimited(this.counts, refused, this.refusal, earlier);
    }
  }

  /** Consumes a point after the attempt, even if none is left: for limits that count only failures. */
  async penalise(key: string): Promise<void> {
    await this.counts.penalty(key);
  }

  /**
   * Consumes nothing.
   * @throws PlatformError RATE_LIMITED when the key has no point left
   */
  async refuseExhausted(key: string): Promise<void> {
    const state = await this.counts.get(key);
    if (state && state.consumedPoints >= this.counts.points) throw rateLimited(this.counts, state, this.refusal);
  }
}

import type { LimitState } from '@crm/contracts';
import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { limitState, rateLimited } from '../problem/rate-limits.js';
import type { Limit, LimiterStore } from './limiter-store.js';

/** One limit, of any number of keys: a fixed window for each key. */
export class Limiter {
  private readonly counts: RateLimiterAbstract;

  /** @param refusal what there was too much of, in the answer; that of RATE_LIMITED when left out */
  constructor(
    store: LimiterStore,
    limit: Limit,
    private readonly refusal?: string,
  ) {
    this.counts = store.open(limit);
  }

  /**
   * Takes one point of the key.
   * @returns what is left
   * @throws PlatformError RATE_LIMITED when there was none left
   */
  async consume(key: string): Promise<LimitState> {
    try {
      return limitState(this.counts, await this.counts.consume(key));
    } catch (refused) {
      // The library rejects with the key's state when it refuses, with an error when it fails.
      if (!(refused instanceof RateLimiterRes)) throw refused;
      throw rateLimited(this.counts, refused, this.refusal);
    }
  }

  /** Takes a point after the fact, even if there is none left: for limits that count failures only. */
  async penalise(key: string): Promise<void> {
    await this.counts.penalty(key);
  }

  /**
   * Takes nothing.
   * @throws PlatformError RATE_LIMITED when the key has no point left
   */
  async refuseExhausted(key: string): Promise<void> {
    const state = await this.counts.get(key);
    if (state && state.consumedPoints >= this.counts.points) throw rateLimited(this.counts, state, this.refusal);
  }
}

import type { LimitState, PlatformError } from '@crm/contracts';
import { rateLimited } from '../problem/rate-limits.js';
import type { Limit, LimitCounter, LimiterStore, Usage } from './limiter-store.js';

/** One limit for any number of keys, with a fixed window per key. */
export class Limiter {
  private readonly counts: LimitCounter;

  /** @param refusal error detail; default: that of RATE_LIMITED */
  constructor(
    store: LimiterStore,
    private readonly limit: Limit,
    private readonly refusal?: string,
  ) {
    this.counts = store.open(limit);
  }

  /**
   * Consumes one point of the key.
   * @param earlier limits that the call has passed already, for the answer when this one refuses it
   * @returns the remaining points, at once if the store answers at once
   * @throws PlatformError RATE_LIMITED when none was left
   */
  consume(key: string, earlier: readonly LimitState[] = []): LimitState | Promise<LimitState> {
    const usage = this.counts.use(key);
    return usage instanceof Promise
      ? usage.then((counted) => this.admit(counted, earlier))
      : this.admit(usage, earlier);
  }

  /** Consumes a point after the attempt, even if none is left: for limits that count only failures. */
  async penalise(key: string): Promise<void> {
    await this.counts.use(key);
  }

  /**
   * Consumes nothing.
   * @throws PlatformError RATE_LIMITED when the key has no point left
   */
  async refuseExhausted(key: string): Promise<void> {
    const usage = await this.counts.find(key);
    if (usage && usage.used >= this.limit.points) throw this.exhausted(usage);
  }

  private admit(usage: Usage, earlier: readonly LimitState[]): LimitState {
    if (usage.used > this.limit.points) throw this.exhausted(usage, earlier);
    return this.stateOf(usage);
  }

  private exhausted(usage: Usage, earlier: readonly LimitState[] = []): PlatformError {
    return rateLimited([...earlier, this.stateOf(usage)], this.refusal);
  }

  private stateOf({ used, endsInMs }: Usage): LimitState {
    const { name, points, windowSeconds } = this.limit;
    return {
      name,
      quota: points,
      windowSeconds,
      remaining: Math.max(0, points - used),
      resetSeconds: Math.max(1, Math.ceil(endsInMs / 1000)),
    };
  }
}

import { type LimitState, PlatformError } from '@crm/contracts';
import { hasRoom, remainingUses, secondsUntilEmpty, secondsUntilRoom, windowSeconds } from './gcra.js';
import { type GroupedLimit, LimitGroup } from './limit-group.js';
import type { Limit, LimiterStore, OpenLimit } from './limiter-store.js';
import { rateLimited } from './rate-limits.js';

/** One limit for any number of keys. */
export class Limiter implements GroupedLimit {
  readonly open: OpenLimit;
  private readonly alone: LimitGroup;

  /** @param refusal error detail; default: that of RATE_LIMITED */
  constructor(
    readonly store: LimiterStore,
    limit: Limit,
    private readonly refusal?: string,
  ) {
    this.open = store.open(limit);
    this.alone = new LimitGroup([this]);
  }

  /**
   * Uses one point of the key.
   * @returns the remaining points, at once if the store answers at once
   * @throws PlatformError RATE_LIMITED when none was left
   */
  consume(key: string): LimitState | Promise<LimitState> {
    const states = this.alone.consume(key);
    return states instanceof Promise ? states.then(([state]) => state as LimitState) : (states[0] as LimitState);
  }

  /** Like {@link consume}, for a caller who is not told. @returns whether a point was left */
  async admits(key: string): Promise<boolean> {
    try {
      await this.consume(key);
      return true;
    } catch (error) {
      if (error instanceof PlatformError && error.code === 'RATE_LIMITED') return false;
      throw error;
    }
  }

  /** Uses a point after the attempt, even if none is left: for limits that count only failures. */
  penalise(key: string): Promise<void> {
    return this.alone.penalise(key);
  }

  /**
   * Uses nothing.
   * @throws PlatformError RATE_LIMITED when the key has no point left
   */
  refuseExhausted(key: string): Promise<void> {
    return this.alone.refuseExhausted(key);
  }

  stateOf(debtUs: number): LimitState {
    const { limit, burst, pace } = this.open;
    const remaining = remainingUses(pace, debtUs);
    return {
      name: limit.name,
      quota: burst,
      windowSeconds: windowSeconds(pace),
      remaining,
      resetSeconds: remaining > 0 ? secondsUntilEmpty(debtUs) : secondsUntilRoom(pace, debtUs),
    };
  }

  isExhausted(debtUs: number): boolean {
    return !hasRoom(this.open.pace, debtUs);
  }

  refusalFor(states: readonly LimitState[]): PlatformError {
    return rateLimited(states, this.refusal);
  }
}

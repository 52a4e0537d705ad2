import type { LimitState, PlatformError } from '@crm/contracts';
import type { Operation } from './gcra.js';
import type { Claim, Decision, LimiterStore, OpenLimit } from './limiter-store.js';

/** A limit of a group, which is a Limiter. */
export interface GroupedLimit {
  readonly store: LimiterStore;
  readonly open: OpenLimit;
  /** What a caller with this debt is told. */
  stateOf(debtUs: number): LimitState;
  isExhausted(debtUs: number): boolean;
  /** @param states of the limits that were applied, this one last */
  refusalFor(states: readonly LimitState[]): PlatformError;
}

/**
 * Limits of one store that apply to the same calls. They are asked in one step, which is one round trip where the store is a
 * server. Every method takes one key for each of them, in their order.
 */
export class LimitGroup {
  /** @param limiters at least one, all different */
  constructor(private readonly limiters: readonly GroupedLimit[]) {}

  /**
   * Uses one point of every key, if each has one left: a call that one limit refuses costs nothing of the others.
   * @returns the remaining points, at once if the store answers at once
   * @throws PlatformError RATE_LIMITED with the state of the limits up to the first that had none
   */
  consume(...keys: readonly string[]): readonly LimitState[] | Promise<readonly LimitState[]> {
    const decision = this.apply('take', keys);
    return decision instanceof Promise ? decision.then((later) => this.admit(later)) : this.admit(decision);
  }

  /** Uses a point of every key after the attempt, even if none is left: for limits that count only failures. */
  async penalise(...keys: readonly string[]): Promise<void> {
    await this.apply('charge', keys);
  }

  /**
   * Undoes a use, for limits of attempts at the same time of which only those that failed shall count. A key that had all of
   * its points gains no more than the time since the use.
   */
  async giveBack(...keys: readonly string[]): Promise<void> {
    await this.apply('restore', keys);
  }

  /**
   * Uses nothing.
   * @throws PlatformError RATE_LIMITED when one of the keys has no point left
   */
  async refuseExhausted(...keys: readonly string[]): Promise<void> {
    const { debtsUs } = await this.apply('look', keys);
    const refused = this.limiters.findIndex((limiter, index) => limiter.isExhausted(debtsUs[index] as number));
    this.admit({ refused, debtsUs });
  }

  private apply(operation: Operation, keys: readonly string[]): Decision | Promise<Decision> {
    const claims: Claim[] = [];
    for (let index = 0; index < this.limiters.length; index += 1) {
      claims.push({ open: (this.limiters[index] as GroupedLimit).open, key: keys[index] as string });
    }
    return (this.limiters[0] as GroupedLimit).store.apply(operation, claims);
  }

  private admit({ refused, debtsUs }: Decision): readonly LimitState[] {
    const states: LimitState[] = [];
    for (let index = 0; index < this.limiters.length; index += 1) {
      const limiter = this.limiters[index] as GroupedLimit;
      states.push(limiter.stateOf(debtsUs[index] as number));
      if (index === refused) throw limiter.refusalFor(states);
    }
    return states;
  }
}

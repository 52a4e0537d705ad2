import { PlatformError } from '@crm/contracts';
import { addressKey, Limiter, LimiterStore, LimitGroup } from '@crm/limits';
import { Injectable } from '@nestjs/common';
import { KeyedQueue } from './keyed-queue.js';

const WINDOW_SECONDS = 15 * 60;
/** Failed attempts on one account from one address: room for a forgetful person, none for guessing. */
export const FAILURES_PER_ACCOUNT = 10;
/** Failed attempts from one address on whatever accounts; an office behind one address shares them. */
export const FAILURES_PER_ADDRESS = 100;

/**
 * Counts failed sign-ins, never successful ones, per account and address and per address alone. A single attacker
 * cannot lock an account for its owner, who comes from another address.
 *
 * An attempt uses its points before it begins and gets them back unless it failed, so that many at once, at whichever
 * replica, get no more tries than one by one. Those on the same account from the same address are decided one after the
 * other, so that many right ones at once do not refuse each other.
 */
@Injectable()
export class SignInLimit {
  private readonly limits: LimitGroup;
  private readonly queue = new KeyedQueue();

  constructor(store: LimiterStore) {
    const limiter = (name: string, points: number) =>
      new Limiter(store, { name, points, windowSeconds: WINDOW_SECONDS }, 'Too many failed attempts');
    this.limits = new LimitGroup([
      limiter('sign-in-account', FAILURES_PER_ACCOUNT),
      limiter('sign-in-address', FAILURES_PER_ADDRESS),
    ]);
  }

  /**
   * Makes one attempt, if there is one left.
   * @param account what is signed in to, e.g. `user:a@b.test`
   * @param address where the attempt comes from
   * @param attempt rejects with INVALID_CREDENTIALS when it failed; anything else does not count
   * @throws PlatformError RATE_LIMITED, or what the attempt rejects with
   */
  async attempt<T>(account: string, address: string, attempt: () => Promise<T>): Promise<T> {
    const from = addressKey(address);
    const key = `${account}|${from}`;
    return this.queue.run(key, async () => {
      await this.limits.consume(key, from);
      let hasFailed = false;
      try {
        return await attempt();
      } catch (error) {
        hasFailed = error instanceof PlatformError && error.code === 'INVALID_CREDENTIALS';
        throw error;
      } finally {
        if (!hasFailed) await this.limits.giveBack(key, from);
      }
    });
  }
}

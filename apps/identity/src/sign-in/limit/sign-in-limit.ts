import { PlatformError } from '@crm/contracts';
import { Limiter, LimiterStore } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { KeyedQueue } from './keyed-queue.js';

const WINDOW_SECONDS = 15 * 60;
/** Failed attempts on one account from one address: room for a forgetful person, none for guessing. */
export const FAILURES_PER_ACCOUNT = 10;
/** Failed attempts from one address on whatever accounts; an office behind one address shares them. */
export const FAILURES_PER_ADDRESS = 100;

/**
 * Counts failed sign-ins, never successful ones, per account and address and per address alone. A single attacker
 * cannot lock an account for its owner, who comes from another address. Attempts on the same account from the same
 * address are decided one after the other, so that many at once get no more tries than one by one.
 */
@Injectable()
export class SignInLimit {
  private readonly byAccount: Limiter;
  private readonly byAddress: Limiter;
  private readonly queue = new KeyedQueue();

  constructor(store: LimiterStore) {
    const limiter = (name: string, points: number) =>
      new Limiter(store, { name, points, windowSeconds: WINDOW_SECONDS }, 'Too many failed attempts');
    this.byAccount = limiter('sign-in-account', FAILURES_PER_ACCOUNT);
    this.byAddress = limiter('sign-in-address', FAILURES_PER_ADDRESS);
  }

  /**
   * Makes one attempt, if there is one left.
   * @param account what is signed in to, e.g. `user:a@b.test`
   * @param address where the attempt comes from
   * @param attempt rejects with INVALID_CREDENTIALS when it failed; anything else does not count
   * @throws PlatformError RATE_LIMITED, or what the attempt rejects with
   */
  async attempt<T>(account: string, address: string, attempt: () => Promise<T>): Promise<T> {
    const key = `${account}|${address}`;
    return this.queue.run(key, async () => {
      await this.byAccount.refuseExhausted(key);
      await this.byAddress.refuseExhausted(address);
      try {
        return await attempt();
      } catch (error) {
        if (error instanceof PlatformError && error.code === 'INVALID_CREDENTIALS') {
          await this.byAccount.penalise(key);
          await this.byAddress.penalise(address);
        }
        throw error;
      }
    });
  }
}

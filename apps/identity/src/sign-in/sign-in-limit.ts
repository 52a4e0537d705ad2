import { PlatformError } from '@crm/contracts';
import { rateLimited } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { RateLimiterMemory } from 'rate-limiter-flexible';
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
  private readonly byAccount = new RateLimiterMemory({
    keyPrefix: 'sign-in-account',
    points: FAILURES_PER_ACCOUNT,
    duration: WINDOW_SECONDS,
  });
  private readonly byAddress = new RateLimiterMemory({
    keyPrefix: 'sign-in-address',
    points: FAILURES_PER_ADDRESS,
    duration: WINDOW_SECONDS,
  });
  private readonly queue = new KeyedQueue();

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
      await this.refuseExhausted(this.byAccount, key);
      await this.refuseExhausted(this.byAddress, address);
      try {
        return await attempt();
      } catch (error) {
        if (error instanceof PlatformError && error.code === 'INVALID_CREDENTIALS') {
          await this.byAccount.penalty(key);
          await this.byAddress.penalty(address);
        }
        throw error;
      }
    });
  }

  private async refuseExhausted(limiter: RateLimiterMemory, key: string): Promise<void> {
    const state = await limiter.get(key);
    if (state && state.consumedPoints >= limiter.points) {
      throw rateLimited(limiter, state, 'Too many failed attempts');
    }
  }
}

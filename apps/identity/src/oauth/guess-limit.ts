import { addressKey, Limiter, LimiterStore, LimitGroup } from '@crm/limits';
import { Injectable } from '@nestjs/common';
import { OAuthError, type OAuthErrorCode } from './oauth-error.js';

const WINDOW_SECONDS = 15 * 60;
/** Failures of one client from one address: a deployment with an old secret, started again and again, stays below. */
export const FAILURES_PER_CLIENT = 30;
/** Failures from one address with whatever clients. */
export const FAILURES_PER_ADDRESS = 100;
/** Characters of a presented id that count; the caller decides how long it is. */
const KEY_LENGTH = 64;
const FAILURES: readonly OAuthErrorCode[] = ['invalid_client', 'invalid_grant'];

/**
 * Counts wrong secrets, codes and refresh tokens per client and address and per address. Nobody can guess 256 bits; what is
 * bounded is the work that trying causes. Right ones cost nothing and are never delayed by each other.
 */
@Injectable()
export class GuessLimit {
  private readonly limits: LimitGroup;

  constructor(store: LimiterStore) {
    const limiter = (name: string, points: number) =>
      new Limiter(store, { name, points, windowSeconds: WINDOW_SECONDS }, 'Too many failed attempts');
    this.limits = new LimitGroup([
      limiter('oauth-client', FAILURES_PER_CLIENT),
      limiter('oauth-address', FAILURES_PER_ADDRESS),
    ]);
  }

  /** @throws PlatformError RATE_LIMITED before any work, or what the attempt rejects with */
  async attempt<T>(clientId: string, address: string, attempt: () => Promise<T>): Promise<T> {
    const from = addressKey(address);
    const keys = [`${clientId.slice(0, KEY_LENGTH)}|${from}`, from];
    await this.limits.refuseExhausted(...keys);
    try {
      return await attempt();
    } catch (error) {
      const isFailure = error instanceof OAuthError && error.mayBeGuess && FAILURES.includes(error.error);
      if (isFailure) await this.limits.penalise(...keys);
      throw error;
    }
  }
}

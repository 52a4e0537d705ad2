import { PlatformError } from '@crm/contracts';
import { addressKey, Limiter, LimiterStore, LimitGroup } from '@crm/limits';
import { Injectable } from '@nestjs/common';

const WINDOW_SECONDS = 15 * 60;
/** Failed mints per client id and address. Higher than for people: a wrong secret is a mistake in a configuration. */
export const FAILURES_PER_CLIENT = 20;
/** Failed mints per address, whatever the client ids. */
export const FAILURES_PER_ADDRESS = 100;

/**
 * Counts mints with wrong credentials, never successful ones. The client id is public, because it is part of the embed
 * page's address, so it is counted together with the caller's address: nobody can lock out a host's backend from elsewhere.
 */
@Injectable()
export class MintLimit {
  private readonly limits: LimitGroup;

  constructor(store: LimiterStore) {
    const limiter = (name: string, points: number) =>
      new Limiter(store, { name, points, windowSeconds: WINDOW_SECONDS }, 'Too many attempts with wrong credentials');
    this.limits = new LimitGroup([
      limiter('mint-client', FAILURES_PER_CLIENT),
      limiter('mint-address', FAILURES_PER_ADDRESS),
    ]);
  }

  /**
   * @param mint rejects with INVALID_EMBED_CREDENTIALS when the credentials are wrong; anything else does not count
   * @throws PlatformError RATE_LIMITED, or what the mint rejects with
   */
  async attempt<T>(clientId: string, address: string, mint: () => Promise<T>): Promise<T> {
    const from = addressKey(address);
    const clientKey = JSON.stringify([clientId, from]);
    await this.limits.refuseExhausted(clientKey, from);
    try {
      return await mint();
    } catch (error) {
      if (error instanceof PlatformError && error.code === 'INVALID_EMBED_CREDENTIALS') {
        await this.limits.penalise(clientKey, from);
      }
      throw error;
    }
  }
}

import { PlatformError } from '@crm/contracts';
import { rateLimited } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { RateLimiterMemory } from 'rate-limiter-flexible';

const WINDOW_SECONDS = 15 * 60;
/** Failed mints of one client id from one address: a backend with a wrong secret is a mistake, not a person typing. */
export const FAILURES_PER_CLIENT = 20;
/** Failed mints from one address with whatever client ids. */
export const FAILURES_PER_ADDRESS = 100;

/**
 * Counts mints with wrong credentials, never good ones. The client id stands in the embed page's address and is public,
 * so it is counted together with the address: nobody can lock a host's backend out from elsewhere.
 */
@Injectable()
export class MintLimit {
  private readonly byClient = new RateLimiterMemory({
    keyPrefix: 'mint-client',
    points: FAILURES_PER_CLIENT,
    duration: WINDOW_SECONDS,
  });
  private readonly byAddress = new RateLimiterMemory({
    keyPrefix: 'mint-address',
    points: FAILURES_PER_ADDRESS,
    duration: WINDOW_SECONDS,
  });

  /**
   * @param mint rejects with INVALID_EMBED_CREDENTIALS when the credentials are wrong; anything else does not count
   * @throws PlatformError RATE_LIMITED, or what the mint rejects with
   */
  async attempt<T>(clientId: string, address: string, mint: () => Promise<T>): Promise<T> {
    const clientKey = JSON.stringify([clientId, address]);
    await refuseExhausted(this.byClient, clientKey);
    await refuseExhausted(this.byAddress, address);
    try {
      return await mint();
    } catch (error) {
      if (error instanceof PlatformError && error.code === 'INVALID_EMBED_CREDENTIALS') {
        await this.byClient.penalty(clientKey);
        await this.byAddress.penalty(address);
      }
      throw error;
    }
  }
}

async function refuseExhausted(limiter: RateLimiterMemory, key: string): Promise<void> {
  const state = await limiter.get(key);
  if (state && state.consumedPoints >= limiter.points) {
    throw rateLimited(limiter, state, 'Too many attempts with wrong credentials');
  }
}

import { rateLimited } from '@crm/http';
import type { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/**
 * Takes one point from a limiter.
 * @throws PlatformError RATE_LIMITED when there is none left
 */
export async function consumePoint(limiter: RateLimiterMemory, key: string, refusal: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (error) {
    // The limiter rejects with its state when it refuses, with an error when it fails.
    if (error instanceof Error) throw error;
    throw rateLimited(limiter, error as RateLimiterRes, refusal);
  }
}

import { PlatformError } from '@crm/contracts';
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
    throw rateLimited(refusal, error as RateLimiterRes);
  }
}

/** The answer to somebody who has to wait until the limiter's window ends. */
export function rateLimited(detail: string, state: RateLimiterRes): PlatformError {
  return new PlatformError('RATE_LIMITED', detail, {
    retryAfterSeconds: Math.max(1, Math.ceil(state.msBeforeNext / 1000)),
  });
}

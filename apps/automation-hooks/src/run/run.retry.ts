import { PlatformError } from '@crm/contracts';
import { StepError } from './step-error.js';

/** How often a step is tried; with the delays below this spans about twenty minutes. */
export const MAX_ATTEMPTS = 7;

const DELAYS_SECONDS = [1, 5, 30, 120, 300, 600];

/** Milliseconds before the next try after so many failed ones, ±20 % so that runs do not come back all at once. */
export function retryDelayMs(attempts: number): number {
  const seconds = DELAYS_SECONDS[Math.min(attempts, DELAYS_SECONDS.length) - 1] ?? 1;
  return seconds * 1000 * (0.8 + Math.random() * 0.4);
}

/**
 * Whether a failure may pass by itself: a part of the platform is away or busy, or refused a token that was minted just
 * before the author's roles changed. What is wrong with a value stays wrong, and an author without the right is FORBIDDEN.
 */
export function mayPass(error: unknown): boolean {
  if (error instanceof StepError) return error.mayPass;
  if (!(error instanceof PlatformError)) return true;
  return error.status >= 500 || error.status === 429 || error.status === 401 || error.code === 'IDEMPOTENCY_KEY_IN_USE';
}

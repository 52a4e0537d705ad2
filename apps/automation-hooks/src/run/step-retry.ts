import { PlatformError } from '@crm/contracts';
import { Backoff } from '@crm/worker';
import { StepError } from './step-error.js';

/** How often a step is tried; with the delays below this spans about twenty minutes. */
export const MAX_ATTEMPTS = 7;

/** How long a step waits for its next try. */
export const STEP_BACKOFF = Backoff.listed([1_000, 5_000, 30_000, 120_000, 300_000, 600_000]);

/**
 * Whether a failure may pass by itself: a part of the platform is away or busy, or refused a token that was minted just
 * before the author's roles changed. What is wrong with a value stays wrong, and an author without the right is FORBIDDEN.
 */
export function mayPass(error: unknown): boolean {
  if (error instanceof StepError) return error.mayPass;
  if (!(error instanceof PlatformError)) return true;
  return error.status >= 500 || error.status === 429 || error.status === 401 || error.code === 'IDEMPOTENCY_KEY_IN_USE';
}

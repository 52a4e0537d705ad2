import { PlatformError } from '@crm/contracts';
import { Backoff } from '@crm/worker';
import { StepError } from './step-error.js';

/** Attempts at a step; with the delays below they span about twenty minutes. */
export const MAX_ATTEMPTS = 7;

/** How long a step waits for its next attempt. */
export const STEP_BACKOFF = Backoff.listed([1_000, 5_000, 30_000, 120_000, 300_000, 600_000]);

/**
 * Whether a later attempt can succeed: a part of the platform is unavailable or busy, or refused a token that was minted
 * just before the author's roles changed. A wrong value stays wrong, and an author without the right is FORBIDDEN.
 */
export function isRetryable(error: unknown): boolean {
  if (error instanceof StepError) return error.isRetryable;
  if (!(error instanceof PlatformError)) return true;
  return error.status >= 500 || error.status === 429 || error.status === 401 || error.code === 'IDEMPOTENCY_KEY_IN_USE';
}

import { type ErrorCode, PlatformError } from '@crm/contracts';
import { Backoff } from '@crm/database';
import { StepError } from './step-error.js';

/** Attempts at a step; with the delays below they span about twenty minutes. */
export const MAX_ATTEMPTS = 7;

/** How long a step waits for its next attempt. */
export const STEP_BACKOFF = Backoff.listed([1_000, 5_000, 30_000, 120_000, 300_000, 600_000]);

const RETRYABLE: ReadonlySet<string> = new Set<ErrorCode>(['IDEMPOTENCY_KEY_IN_USE', 'WORKSPACE_SUSPENDED']);

/**
 * Whether a later attempt can succeed: a part of the platform is unavailable or busy, or refused a token that was minted
 * just before the author's roles changed. A wrong value stays wrong, and an author without the right is FORBIDDEN.
 *
 * Of a suspended workspace steps are not attempted. One that is refused because of it was begun in the moment in which identity
 * knew of the suspension, or did not know yet of the reinstatement, and this process did.
 */
export function isRetryable(error: unknown): boolean {
  if (error instanceof StepError) return error.isRetryable;
  if (!(error instanceof PlatformError)) return true;
  const { status, code } = error;
  return status >= 500 || status === 429 || status === 401 || RETRYABLE.has(code);
}

import { createHash } from 'node:crypto';
import { type ErrorCode, PlatformError } from '@crm/contracts';
import { Backoff } from '@crm/database';
import type { SpanDescription } from '@crm/telemetry';
import { type Action } from '../workflow/workflow.entity.js';
import type { Claim } from './run-queue.repository.js';

/** Why a step failed, unless a service of the platform answered with an error. */
export class StepError extends Error {
  override readonly name = 'StepError';
  /** Milliseconds for which the other side asks not to be called again; null when it does not. */
  readonly retryAfterMs: number | null;

  /**
   * @param code UPPER_SNAKE, shown with the run
   * @param message shown to everyone who can read runs
   */
  constructor(
    readonly code: string,
    message: string,
    readonly isRetryable: boolean,
    options?: ErrorOptions & { readonly retryAfterMs?: number | null },
  ) {
    super(message, options);
    this.retryAfterMs = options?.retryAfterMs ?? null;
  }
}

/**
 * The id of a run's step, the same for every worker: a version 8 UUID (RFC 9562, section 5.8).
 * @param position of the step, from 0
 */
export function stepId(runId: string, position: number): string {
  const hex = createHash('sha256').update(`${runId}/${position}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Attempts at a step; with the delays below they span about twenty minutes. */
export const MAX_ATTEMPTS = 7;

/** How long a step waits for its next attempt. */
export const STEP_BACKOFF = Backoff.listed([1_000, 5_000, 30_000, 120_000, 300_000, 600_000]);

/** Milliseconds until the next attempt: the schedule, or later when the one who was called asks for it. @param attempts made */
export function delayAfter(error: unknown, attempts: number): number {
  const asked = error instanceof StepError ? error.retryAfterMs : null;
  return Math.max(STEP_BACKOFF.delayMs(attempts), asked ?? 0);
}

const RETRYABLE: ReadonlySet<string> = new Set<ErrorCode>(['IDEMPOTENCY_KEY_IN_USE', 'WORKSPACE_SUSPENDED']);

/**
 * Returns whether a later attempt can succeed: part of the platform is unavailable or busy, or refused a token minted just
 * before the author's roles changed. WORKSPACE_SUSPENDED is retried because services learn of suspensions at different
 * moments.
 */
export function isRetryable(error: unknown): boolean {
  if (error instanceof StepError) return error.isRetryable;
  if (!(error instanceof PlatformError)) return true;
  const { status, code } = error;
  return status >= 500 || status === 429 || status === 401 || RETRYABLE.has(code);
}

export const describeRun = ({ runId, claims }: Claim): SpanDescription => ({
  name: 'run',
  kind: 'consumer',
  attributes: { 'crm.run.id': runId, 'crm.run.claims': claims },
});

export const describeStep = ({ type }: Action): SpanDescription => ({ name: `step ${type}`, kind: 'internal' });

/** Where it goes is the tenant's affair, and the address may have a secret in it. */
export const describeHttpRequest = (method: string): SpanDescription => ({
  name: method,
  kind: 'client',
  attributes: { 'http.request.method': method },
});

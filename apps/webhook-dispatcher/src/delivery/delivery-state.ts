import type { DeliveryStatus } from '@crm/contracts';
import type { AttemptOutcome } from './attempt-outcome.js';
import { delayBeforeNext } from './retry-schedule.js';

/** The state of a delivery after an attempt. */
export interface NextState {
  readonly status: DeliveryStatus;
  readonly nextAttemptAt: Date | null;
  /** Whether the subscription is disabled, because the receiver says that it is gone for good (410). */
  readonly disables: boolean;
}

const GONE = 410;

/**
 * Decides what follows an attempt: delivered, another attempt later, or the end. A delivery whose URL the address policy
 * refuses becomes `blocked` only after its last attempt, because a name may have another address by the next one. One that
 * was answered 410 is held like those that follow it, so that a stray 410 loses nothing.
 * @param attempts attempts made, including this one
 * @param random a number in [0, 1)
 * @param canHold false for a subscription that is removed: nobody could recover what it holds
 */
export function afterAttempt(
  delaysMs: readonly number[],
  attempts: number,
  outcome: AttemptOutcome,
  random: number,
  canHold = true,
): NextState {
  if (outcome.error === null) return { status: 'delivered', nextAttemptAt: null, disables: false };
  if (outcome.httpStatus === GONE)
    return { status: canHold ? 'held' : 'failed', nextAttemptAt: null, disables: canHold };
  const delay = delayBeforeNext(delaysMs, attempts, outcome.retryAfterMs, random);
  if (delay === null) {
    return { status: outcome.error.code === 'blocked' ? 'blocked' : 'failed', nextAttemptAt: null, disables: false };
  }
  return { status: 'retrying', nextAttemptAt: new Date(outcome.at.getTime() + delay), disables: false };
}

import type { DeliveryStatus } from '@crm/contracts';
import type { AttemptOutcome } from '../receivers/attempt-outcome.js';
import type { StallRule } from '../subscriptions/ordering.js';
import { delayBeforeNext } from './retry-schedule.js';

/** The state of a delivery after an attempt. */
export interface NextState {
  readonly status: DeliveryStatus;
  readonly nextAttemptAt: Date | null;
  /** Whether the subscription is disabled, because the receiver says that it is gone for good (410). */
  readonly disables: boolean;
  /** Whether it ended before its last attempt, because later deliveries of its record waited for it. */
  readonly isSetAside: boolean;
}

/**
 * Failed attempts after which a delivery no longer holds up the later ones of its record: with the default schedule after
 * about five minutes.
 */
const STALL_ATTEMPTS = 3;

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
  if (outcome.error === null) return ended('delivered');
  if (outcome.httpStatus === GONE) return { ...ended(canHold ? 'held' : 'failed'), disables: canHold };
  const delay = delayBeforeNext(delaysMs, attempts, outcome.retryAfterMs, random);
  if (delay === null) return ended(outcome.error.code === 'blocked' ? 'blocked' : 'failed');
  const nextAttemptAt = new Date(outcome.at.getTime() + delay);
  return { status: 'retrying', nextAttemptAt, disables: false, isSetAside: false };
}

/**
 * The same for the head of a line: with `skip`, one that has failed three times ends, so that those behind it go on.
 * Parameters as {@link afterAttempt}.
 */
export function afterAttemptOfHead(
  delaysMs: readonly number[],
  attempts: number,
  outcome: AttemptOutcome,
  random: number,
  onStall: StallRule,
): NextState {
  const next = afterAttempt(delaysMs, attempts, outcome, random);
  if (onStall === 'hold' || next.status !== 'retrying' || attempts < STALL_ATTEMPTS) return next;
  return { ...ended(outcome.error?.code === 'blocked' ? 'blocked' : 'failed'), isSetAside: true };
}

const ended = (status: DeliveryStatus): NextState => ({
  status,
  nextAttemptAt: null,
  disables: false,
  isSetAside: false,
});

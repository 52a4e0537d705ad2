import type { DeliveryStatus } from '@crm/contracts';
import { jittered } from '@crm/database';
import type { AttemptOutcome } from '../receivers/attempt-outcome.js';
import type { StallRule } from '../subscriptions/subscription.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Delays before the attempts, each from the previous one: the schedule of Standard Webhooks, extended to three days. */
export const DEFAULT_RETRY_DELAYS_MS: readonly number[] = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** Milliseconds, or null when no attempt is left. @param attempts that were made @param random a number in [0, 1) */
export function delayBeforeNext(
  delaysMs: readonly number[],
  attempts: number,
  retryAfterMs: number | null,
  random: number,
): number | null {
  const base = delaysMs[attempts];
  if (base === undefined) return null;
  return Math.max(jittered(base, random), retryAfterMs ?? 0);
}

/** Reads a schedule such as `0s,5s,5m,2h`, in milliseconds. */
export function parseDelays(text: string): number[] {
  const units: Record<string, number> = { ms: 1, s: SECOND, m: MINUTE, h: HOUR };
  return text.split(',').map((part) => {
    const match = /^\s*([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)\s*$/.exec(part);
    const unit = units[match?.[2] ?? ''];
    if (!match || unit === undefined)
      throw new Error(`WEBHOOK_RETRY_DELAYS: "${part}" is not a delay such as 5s or 2h`);
    return Number(match[1]) * unit;
  });
}

export interface NextState {
  readonly status: DeliveryStatus;
  readonly nextAttemptAt: Date | null;
  readonly disables: boolean;
  /** Whether it ended before its last attempt, because later deliveries of its record waited for it. */
  readonly isSetAside: boolean;
}

/** Failed attempts after which a delivery no longer blocks its partition: about five minutes of the default schedule. */
const STALL_ATTEMPTS = 3;

const GONE = 410;

/**
 * A URL that the address policy refuses makes a delivery `blocked` only after its last attempt, because its name may resolve
 * differently by then. After a 410 it is held, so that a stray one loses nothing.
 * @param attempts attempts made, including this one
 * @param canHold false for a removed subscription, whose held deliveries nobody could recover
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

/** The same for the head of a partition: with `skip`, one that has failed three times ends, so that later ones go on. */
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

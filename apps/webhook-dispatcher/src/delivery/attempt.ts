import type { DeliveryStatus, EventEnvelope } from '@crm/contracts';
import { idOf, jittered, millisecondsOfId, newId } from '@crm/database';
import type { NewDelivery, RecordPosition } from '../ledger/ledger-entry.js';
import { type AttemptOutcome, isThrottled, type Receiver } from '../receivers/receiver.js';
import type { StallRule } from '../subscriptions/subscription.js';

/** Twice what an attempt may take. */
export const CLAIM_MS = 30_000;

/**
 * It follows from both, so that an event that comes again makes no second delivery, and has the time of the event, so that
 * deliveries sort by it and lie in the partition of its day.
 */
export function deliveryId(eventId: string, subscriptionId: string): string {
  const event = eventId.toLowerCase();
  return idOf(millisecondsOfId(event), event, subscriptionId);
}

/** @returns null for an event without a record or a version of it, which has no order */
export const recordPositionOf = (
  { subject, recordversion }: Pick<EventEnvelope, 'subject' | 'recordversion'>,
  stream: Pick<RecordPosition, 'streamSequence' | 'storedAt'>,
): RecordPosition | null =>
  subject === undefined || recordversion === undefined
    ? null
    : { recordId: subject, recordVersion: recordversion, ...stream };

/** A delivery for the partition of a record. Nothing is attempted before it is recorded. */
export const orderedDelivery = (
  eventId: string,
  { subscriptionId, url, enabled }: Receiver,
  position: RecordPosition,
): NewDelivery => ({
  id: deliveryId(eventId, subscriptionId),
  subscriptionId,
  // Subscriptions of apps have no order.
  app: null,
  url,
  status: enabled ? 'pending' : 'held',
  attempts: 0,
  outcome: null,
  dueAt: null,
  position,
  claim: null,
});

/** A delivery from the event's arrival to the end of the first attempt. */
export class FirstAttempt {
  readonly id: string;
  /** Proves the claim, if the delivery is recorded during the attempt. */
  readonly claim = newId();
  private startedAt: number | undefined;
  private isRecorded = false;
  private isHeld = false;
  private ended: { readonly outcome: AttemptOutcome; readonly next: NextState } | undefined;

  /** @param retryDelaysMs before each attempt of the delivery, this one included */
  constructor(
    eventId: string,
    readonly receiver: Receiver,
    private readonly retryDelaysMs: readonly number[],
  ) {
    this.id = deliveryId(eventId, receiver.subscriptionId);
  }

  /** @returns false when the delivery is recorded as due already: then the attempt is not made here */
  begin(now: number): boolean {
    if (this.isRecorded) return false;
    this.startedAt = now;
    return true;
  }

  /** The subscription is paused or disabled: no attempt is made. */
  hold(): void {
    this.isHeld = true;
  }

  end(outcome: AttemptOutcome): void {
    this.ended = {
      outcome,
      next: afterAttempt(this.retryDelaysMs, 1, outcome, Math.random(), !this.receiver.isRemoved),
    };
  }

  get outcome(): AttemptOutcome | null {
    return this.ended?.outcome ?? null;
  }

  get next(): NextState | null {
    return this.ended?.next ?? null;
  }

  /** The delivery as it is now. */
  record(): NewDelivery {
    this.isRecorded = true;
    const { subscriptionId, appKey, installationId, url } = this.receiver;
    const app = appKey === null || installationId === null ? null : { key: appKey, installationId };
    const known = { id: this.id, subscriptionId, app, url, position: null };
    if (this.ended) {
      const { outcome, next } = this.ended;
      return { ...known, status: next.status, attempts: 1, outcome, dueAt: next.nextAttemptAt, claim: null };
    }
    if (this.isHeld) return { ...known, status: 'held', attempts: 0, outcome: null, dueAt: null, claim: null };
    const waits = { ...known, status: 'pending', attempts: 0, outcome: null } as const;
    if (this.startedAt === undefined) return { ...waits, dueAt: new Date(), claim: null };
    const claim = { id: this.claim, until: new Date(this.startedAt + CLAIM_MS) };
    return { ...waits, dueAt: new Date(this.startedAt), claim };
  }
}

/** Milliseconds, or null when no attempt is left. @param attempts that count @param random a number in [0, 1) */
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

export interface NextState {
  readonly status: DeliveryStatus;
  readonly nextAttemptAt: Date | null;
  /** True when it ended before its last attempt, because later deliveries of its record waited for it. */
  readonly isSetAside: boolean;
}

/** Failed attempts after which a delivery no longer blocks its partition: about five minutes of the default schedule. */
const STALL_ATTEMPTS = 3;

const GONE = 410;

/**
 * A URL that the address policy refuses makes a delivery `blocked` only after its last attempt, because its name may resolve
 * differently by then. After a 410 it is held, so that a stray one loses nothing, and the subscription is disabled. An attempt
 * at which the receiver asked for fewer requests uses up no attempt.
 * @param attempts attempts that count, including this one
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
  if (outcome.httpStatus === GONE) return ended(canHold ? 'held' : 'failed');
  const next = isThrottled(outcome) ? sameDelay(delaysMs, attempts) : attempts;
  const delay = delayBeforeNext(delaysMs, next, outcome.retryAfterMs, random);
  if (delay === null) return ended(outcome.error.code === 'blocked' ? 'blocked' : 'failed');
  const nextAttemptAt = new Date(outcome.at.getTime() + delay);
  return { status: 'retrying', nextAttemptAt, isSetAside: false };
}

/** The delay before the attempt; a schedule of one attempt has none. */
const sameDelay = ({ length }: readonly number[], attempts: number): number =>
  Math.max(1, Math.min(attempts - 1, length - 1));

/** The same for the head of a partition: with `skip`, one that has failed three times ends, so that later ones go on. */
export function afterAttemptOfHead(
  delaysMs: readonly number[],
  attempts: number,
  outcome: AttemptOutcome,
  random: number,
  onStall: StallRule,
): NextState {
  const next = afterAttempt(delaysMs, attempts, outcome, random);
  if (onStall === 'hold' || next.status !== 'retrying' || attempts < STALL_ATTEMPTS || isThrottled(outcome))
    return next;
  return { ...ended(outcome.error?.code === 'blocked' ? 'blocked' : 'failed'), isSetAside: true };
}

const ended = (status: DeliveryStatus): NextState => ({
  status,
  nextAttemptAt: null,
  isSetAside: false,
});

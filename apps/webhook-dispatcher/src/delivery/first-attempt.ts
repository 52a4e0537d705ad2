import { newId } from '@crm/database';
import type { NewDelivery } from '../ledger/ledger-entry.js';
import type { AttemptOutcome } from '../receivers/attempt-outcome.js';
import type { Receiver } from '../receivers/receiver.js';
import { deliveryId } from './delivery-id.js';
import { afterAttempt, type NextState } from './delivery-state.js';

/** Milliseconds that the claim of a first attempt under way holds: twice what an attempt may take. */
const CLAIM_MS = 30_000;

/** The delivery of an event to one receiver, from the event's arrival to the end of the first attempt. */
export class FirstAttempt {
  readonly id: string;
  /** Proves the claim, if the delivery is written down while the attempt is under way. */
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

  /** @returns false when the delivery is recorded as one that waits: then the attempt is not made here */
  begin(now: number): boolean {
    if (this.isRecorded) return false;
    this.startedAt = now;
    return true;
  }

  /** No attempt is made: the subscription is paused or disabled, and keeps the delivery for later. */
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

  /** The delivery as it is now: it has ended, is in its first attempt, waits for one, or is held. */
  record(): NewDelivery {
    this.isRecorded = true;
    const { subscriptionId, appKey, installationId, url } = this.receiver;
    const app = appKey === null || installationId === null ? null : { key: appKey, installationId };
    const known = { id: this.id, subscriptionId, app, url, place: null };
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

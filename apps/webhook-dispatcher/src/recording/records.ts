import type { DeliveryStatus } from '@crm/contracts';
import type { AttemptOutcome } from '../delivery/attempt-outcome.js';

/** A delivery as it is written for the first time. */
export interface NewDelivery {
  readonly id: string;
  readonly subscriptionId: string;
  /** The app that the subscription belongs to, whose developer sees the delivery; null when the tenant created it. */
  readonly app: { readonly key: string; readonly installationId: string } | null;
  readonly url: string;
  readonly status: DeliveryStatus;
  /** 1 when the first attempt has ended. */
  readonly attempts: 0 | 1;
  /** Of the first attempt, if it has ended. */
  readonly outcome: AttemptOutcome | null;
  /** When it is due; null for one that has ended or is held. */
  readonly dueAt: Date | null;
  /** Of the first attempt, if it is under way. */
  readonly claim: Claim | null;
}

/** Keeps other processes from attempting a delivery. */
export interface Claim {
  /** Proves the claim: a delivery that another process has claimed in the meantime is not changed. */
  readonly id: string;
  readonly until: Date;
}

/** An event with everything that became of it; written as a whole. */
export interface EventRecord {
  readonly kind: 'event';
  readonly tenantId: string;
  readonly eventId: string;
  readonly event: string;
  readonly body: string;
  readonly deliveries: readonly NewDelivery[];
}

/** What became of a claimed delivery. */
export interface Settlement {
  readonly kind: 'settlement';
  readonly tenantId: string;
  readonly deliveryId: string;
  readonly subscriptionId: string;
  /** Id of the claim. */
  readonly claim: string;
  /** Where it was sent; null leaves it as it is. */
  readonly url: string | null;
  readonly status: DeliveryStatus;
  /** Made so far. */
  readonly attempts: number;
  /** Of the attempt; null when there was none. */
  readonly outcome: AttemptOutcome | null;
  /** Why a delivery ended without an attempt. */
  readonly reason: { readonly code: string; readonly message: string } | null;
  /** When it is due again; null for one that has ended. */
  readonly dueAt: Date | null;
}

/** A claimed delivery that is held, because its subscription was paused or disabled before the attempt. */
export interface HoldRecord {
  readonly kind: 'hold';
  readonly tenantId: string;
  readonly deliveryId: string;
  readonly subscriptionId: string;
  /** Id of the claim. */
  readonly claim: string;
}

export type LedgerRecord = EventRecord | Settlement | HoldRecord;

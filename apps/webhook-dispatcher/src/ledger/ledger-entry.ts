import type { DeliveryStatus } from '@crm/contracts';
import type { AttemptOutcome } from '../receivers/attempt-outcome.js';

/** A delivery as it is written for the first time. */
export interface NewDelivery {
  readonly id: string;
  readonly subscriptionId: string;
  /** The app of the subscription, whose developer sees the delivery; null when the tenant created it. */
  readonly app: { readonly key: string; readonly installationId: string } | null;
  readonly url: string;
  readonly status: DeliveryStatus;
  /** 1 when the first attempt has ended. */
  readonly attempts: 0 | 1;
  /** Outcome of the first attempt, if it has ended. */
  readonly outcome: AttemptOutcome | null;
  /** Null for one that has ended, is held, or waits in a partition. */
  readonly dueAt: Date | null;
  /** Position in the partition of its record; null for one without an order. */
  readonly position: RecordPosition | null;
  /** Claim of the first attempt, if it is under way. */
  readonly claim: Claim | null;
}

/** Orders the deliveries of a record to one subscription. */
export interface RecordPosition {
  readonly recordId: string;
  readonly recordVersion: number;
  /** Null for an event that did not come from the stream. */
  readonly streamSequence: number | null;
}

/** Keeps other processes from attempting a delivery. */
export interface Claim {
  /** Proves the claim: a delivery that another process has claimed in the meantime is not changed. */
  readonly id: string;
  readonly until: Date;
}

/** An event with everything that became of it; written as a whole. */
export interface EventEntry {
  readonly kind: 'event';
  readonly tenantId: string;
  readonly eventId: string;
  readonly event: string;
  readonly body: string;
  /** Parent of the spans of later attempts, if the event is traced. */
  readonly traceparent?: string | undefined;
  readonly deliveries: readonly NewDelivery[];
}

/** The result of a claimed delivery. */
export interface Settlement {
  readonly kind: 'settlement';
  readonly tenantId: string;
  readonly deliveryId: string;
  readonly subscriptionId: string;
  readonly claim: string;
  /** Null leaves the stored URL as it is. */
  readonly url: string | null;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  /** Null when no attempt was made. */
  readonly outcome: AttemptOutcome | null;
  /** Why it ended without an attempt. */
  readonly reason: { readonly code: string; readonly message: string } | null;
  /** Null for one that has ended. */
  readonly dueAt: Date | null;
  /** Whether later deliveries of its record wait for it. */
  readonly isHead: boolean;
  readonly isSetAside: boolean;
}

/** A claimed delivery whose subscription was paused or disabled before the attempt. */
export interface HoldEntry {
  readonly kind: 'hold';
  readonly tenantId: string;
  readonly deliveryId: string;
  readonly subscriptionId: string;
  readonly claim: string;
  /** Whether later deliveries of its record wait for it. */
  readonly isHead: boolean;
}

export type LedgerEntry = EventEntry | Settlement | HoldEntry;

/** Whether the next delivery of its record may follow. */
export const endsHead = ({ isHead, dueAt }: Settlement): boolean => isHead && dueAt === null;

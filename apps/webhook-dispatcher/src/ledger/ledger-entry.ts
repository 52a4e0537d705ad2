import type { DeliveryStatus } from '@crm/contracts';
import type { AttemptOutcome } from '../receivers/attempt-outcome.js';

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
  /** When it is due; null for one that has ended, is held, or waits in line. */
  readonly dueAt: Date | null;
  /** Its place in the line of its record; null for one without an order. */
  readonly place: Place | null;
  /** Of the first attempt, if it is under way. */
  readonly claim: Claim | null;
}

/** Where a delivery stands among those of the same record to the same subscription. */
export interface Place {
  readonly recordId: string;
  readonly recordVersion: number;
  /** Of its event; null when it did not come from the stream. */
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
  /** Below which its later attempts are recorded, if they are. */
  readonly traceparent?: string | undefined;
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
  /** Whether later deliveries of its record wait for it. */
  readonly isHead: boolean;
  readonly isSetAside: boolean;
}

/** A claimed delivery that is held, because its subscription was paused or disabled before the attempt. */
export interface HoldEntry {
  readonly kind: 'hold';
  readonly tenantId: string;
  readonly deliveryId: string;
  readonly subscriptionId: string;
  /** Id of the claim. */
  readonly claim: string;
  /** Whether later deliveries of its record wait for it. */
  readonly isHead: boolean;
}

export type LedgerEntry = EventEntry | Settlement | HoldEntry;

/** Whether later deliveries of its record need wait for it no longer. */
export const endsHead = ({ isHead, dueAt }: Settlement): boolean => isHead && dueAt === null;

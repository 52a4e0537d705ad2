import type { DeliveryStatus } from '@crm/contracts';
import type { AttemptOutcome } from '../receivers/receiver.js';

export interface NewDelivery {
  readonly id: string;
  readonly subscriptionId: string;
  /** The app of the subscription; null when the tenant created it. */
  readonly app: { readonly key: string; readonly installationId: string } | null;
  readonly url: string;
  readonly status: DeliveryStatus;
  /** 1 when the first attempt has ended. */
  readonly attempts: 0 | 1;
  readonly outcome: AttemptOutcome | null;
  /** Null for one that has ended, is held, or waits in a partition. */
  readonly dueAt: Date | null;
  /** Position in the partition of its record; null for one without an order. */
  readonly position: RecordPosition | null;
  readonly claim: Claim | null;
}

export interface RecordPosition {
  readonly recordId: string;
  readonly recordVersion: number;
  /** Null for an event that did not come from the stream. */
  readonly streamSequence: number | null;
  /** When the stream stored the event, by the broker's clock. */
  readonly storedAt: Date | null;
}

/** Keeps other processes from attempting a delivery. */
interface Claim {
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

export interface ClaimedEntry {
  readonly tenantId: string;
  readonly deliveryId: string;
  readonly subscriptionId: string;
  /** A delivery that another process has claimed in the meantime is not changed. */
  readonly claim: string;
  /** True when later deliveries of its record wait for it. */
  readonly isHead: boolean;
}

export interface Settlement extends ClaimedEntry {
  readonly kind: 'settlement';
  /** Null leaves the stored URL as it is. */
  readonly url: string | null;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly outcome: AttemptOutcome | null;
  /** How many of the attempts do not count, because the receiver asked for fewer requests. */
  readonly throttled: number;
  /** Why it ended without an attempt. */
  readonly reason?: { readonly code: string; readonly message: string };
  readonly dueAt: Date | null;
  readonly isSetAside: boolean;
}

/** A claimed delivery whose subscription was paused or disabled before the attempt. */
export interface HoldEntry extends ClaimedEntry {
  readonly kind: 'hold';
}

export type LedgerEntry = EventEntry | Settlement | HoldEntry;

export const isGone = ({ status, outcome }: Pick<Settlement, 'status' | 'outcome'>): boolean =>
  status === 'held' && outcome !== null;

/** Returns whether the next delivery of its record may follow. */
export const endsHead = ({ isHead, dueAt }: Settlement): boolean => isHead && dueAt === null;

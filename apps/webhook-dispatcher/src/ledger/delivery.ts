import type { AttemptPhase, DeliveryStatus } from '@crm/contracts';

/** A delivery as administrators see it. */
export interface Delivery {
  readonly id: string;
  readonly event: string;
  readonly eventId: string;
  readonly subscriptionId: string;
  readonly url: string;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly lastError: { code: string; message: string; httpStatus?: number } | null;
  readonly createdAt: Date;
  /** Null for one that has ended, and while it waits for earlier ones of its record or is the first in line. */
  readonly nextAttemptAt: Date | null;
  /** Ended after its third failed attempt, so that later ones of its record went on. */
  readonly isSetAside: boolean;
}

/** One attempt of a delivery. */
export interface Attempt {
  readonly number: number;
  readonly at: Date;
  readonly httpStatus: number | null;
  readonly errorCode: string | null;
  /** Where it failed; null when the receiver answered. */
  readonly phase: AttemptPhase | null;
  readonly latencyMs: number;
  readonly responseExcerpt: string | null;
}

import type { CustomHeaders } from '../subscriptions/custom-headers.js';
import type { Signer } from '../subscriptions/signature.js';
import { type Ordering, REMOVAL_EVENT, type StallRule } from '../subscriptions/subscription.js';
import type { Failures } from '../subscriptions/subscription.repository.js';

/** The part of a subscription that the choice of receivers and the attempts of deliveries need. */
export interface Receiver extends Failures {
  readonly tenantId: string;
  readonly subscriptionId: string;
  /** Null for a subscription that the tenant created. */
  readonly appKey: string | null;
  readonly installationId: string | null;
  /** Whether the installation was removed: then it gets the event that says so and no other. */
  readonly isRemoved: boolean;
  readonly url: string;
  /** Scheme, host and port of the URL. */
  readonly origin: string;
  readonly events: readonly string[];
  /** A formula over the data of a delivery; null for everything. */
  readonly filter: string | null;
  /** False while it is paused or disabled and holds its events. */
  readonly enabled: boolean;
  /** Attempts a second that may begin; null for as many as it takes. */
  readonly rateLimit: number | null;
  readonly ordering: Ordering;
  readonly onStall: StallRule;
  /** Unix milliseconds; it gets no event from before. */
  readonly createdAt: number;
  readonly signer: Signer;
  /** Sent with each delivery, next to those of the platform. */
  readonly headers: CustomHeaders;
}

interface SentEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Whether an event says that the installation of the receiver was removed. */
export function isItsRemoval({ installationId }: Pick<Receiver, 'installationId'>, { type, data }: SentEvent): boolean {
  return type === REMOVAL_EVENT && installationId !== null && data.installationId === installationId;
}

/**
 * Whether a waiting delivery may still be sent; one from before the removal of the installation may not.
 * @param body as it would be sent
 */
export function maySend(receiver: Pick<Receiver, 'installationId' | 'isRemoved'>, body: string): boolean {
  return !receiver.isRemoved || isItsRemoval(receiver, JSON.parse(body) as SentEvent);
}

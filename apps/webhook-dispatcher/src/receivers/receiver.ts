import type { CustomHeaders } from '../subscriptions/custom-headers.js';
import type { Signer } from '../subscriptions/signature.js';
import { type Ordering, REMOVAL_EVENT, type StallRule } from '../subscriptions/subscription.js';
import type { Failures } from '../subscriptions/subscription.repository.js';

/** The part of a subscription that deliveries need. */
export interface Receiver extends Failures {
  readonly tenantId: string;
  readonly subscriptionId: string;
  readonly appKey: string | null;
  readonly installationId: string | null;
  /** Whether the installation was removed: then it gets the event that says so and no other. */
  readonly isRemoved: boolean;
  readonly url: string;
  /** Scheme, host and port of the URL. */
  readonly origin: string;
  readonly events: readonly string[];
  /** A formula over the data of a delivery. */
  readonly filter: string | null;
  readonly enabled: boolean;
  /** Attempts a second that may begin. */
  readonly rateLimit: number | null;
  readonly ordering: Ordering;
  readonly onStall: StallRule;
  /** Unix milliseconds; it gets no event from before. */
  readonly createdAt: number;
  readonly signer: Signer;
  readonly headers: CustomHeaders;
}

interface SentEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export function isItsRemoval({ installationId }: Pick<Receiver, 'installationId'>, { type, data }: SentEvent): boolean {
  return type === REMOVAL_EVENT && installationId !== null && data.installationId === installationId;
}

/** A delivery from before the removal of the installation may no longer be sent. */
export function maySend(receiver: Pick<Receiver, 'installationId' | 'isRemoved'>, body: string): boolean {
  return !receiver.isRemoved || isItsRemoval(receiver, JSON.parse(body) as SentEvent);
}

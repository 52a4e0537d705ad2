import type { CustomHeaders } from '../subscriptions/custom-headers.js';
import type { Ordering, StallRule } from '../subscriptions/ordering.js';
import type { Signer } from '../subscriptions/signature.js';
import type { Failures } from '../subscriptions/subscription.repository.js';

/** What an attempt of a delivery, and the choice of who gets an event, need of a subscription. */
export interface Receiver extends Failures {
  readonly tenantId: string;
  readonly subscriptionId: string;
  /** The app it belongs to; null when the tenant created it. */
  readonly appKey: string | null;
  /** Of that app. */
  readonly installationId: string | null;
  /** Whether the installation was removed: then it gets the event that says so and no other. */
  readonly isRemoved: boolean;
  readonly url: string;
  /** Scheme, host and port of the URL. */
  readonly origin: string;
  readonly events: readonly string[];
  /** A formula over the data of a delivery; null for everything. */
  readonly filter: string | null;
  /** False while it is paused or disabled, and holds its events. */
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

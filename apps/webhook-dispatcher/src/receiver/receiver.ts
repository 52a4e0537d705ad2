import type { CustomHeaders } from '../custom-header/custom-headers.js';
import type { Signer } from '../signing-secret/signature.js';

/** A series of failed attempts without a success. */
export interface Failures {
  /** Null when the last attempt succeeded. */
  readonly failingSince: Date | null;
  /** A failure in the last hour that had one. */
  readonly failedAt: Date | null;
  /** How many hours had failures. */
  readonly failingHours: number;
}

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
  /** Unix milliseconds; it gets no event from before. */
  readonly createdAt: number;
  readonly signer: Signer;
  /** Sent with each delivery, next to those of the platform. */
  readonly headers: CustomHeaders;
}

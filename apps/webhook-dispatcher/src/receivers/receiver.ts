import type { AttemptPhase } from '@crm/contracts';
import type { EgressErrorCode } from '@crm/egress';
import type { CustomHeaders } from '../subscriptions/custom-headers.js';
import type { Signer } from '../subscriptions/signature.js';
import type { Subscription } from '../subscriptions/subscription.entity.js';
import { REMOVAL_EVENT } from '../subscriptions/subscription.js';
import type { Failures } from '../subscriptions/subscription.repository.js';

type Stored = Pick<
  Subscription,
  'appKey' | 'installationId' | 'sandbox' | 'url' | 'filter' | 'enabled' | 'rateLimit' | 'ordering' | 'onStall'
>;

/** The part of a subscription that deliveries need. */
export interface Receiver extends Readonly<Stored>, Failures {
  readonly tenantId: string;
  readonly subscriptionId: string;
  /** True when the app was revoked: it gets nothing, and what waits for it is held. `enabled` is false then. */
  readonly isRevoked: boolean;
  /** True when the installation was removed: then it gets the event that says so and no other. */
  readonly isRemoved: boolean;
  /** Scheme, host and port of the URL. */
  readonly origin: string;
  readonly events: readonly string[];
  /** Changes with everything that a delivery depends on; a claim says the one that was stored then. */
  readonly version: number;
  /** Unix milliseconds; it gets no event from before. */
  readonly createdAt: number;
  readonly signer: Signer;
  readonly headers: CustomHeaders;
  /** True when its secret or its headers do not open with the platform's keys: nothing can be sent until operators mend it. */
  readonly isUnreadable: boolean;
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

export type AttemptErrorCode =
  | EgressErrorCode
  | 'http_4xx'
  | 'http_5xx'
  | 'http_other'
  | 'redirect'
  | typeof UNREADABLE;

/** Error code of an attempt that was not made because the platform cannot read the receiver's secret or headers. */
export const UNREADABLE = 'unreadable_secret';

interface AttemptError {
  readonly code: AttemptErrorCode;
  readonly message: string;
  /** Absent when the receiver answered. */
  readonly phase?: AttemptPhase;
}

export interface AttemptOutcome {
  readonly at: Date;
  readonly latencyMs: number;
  readonly httpStatus: number | null;
  /** Null when the receiver accepted the delivery. */
  readonly error: AttemptError | null;
  readonly responseExcerpt: string | null;
  readonly retryAfterMs: number | null;
}

/** Returns whether the receiver asked for fewer requests, which says nothing about the delivery. */
export const isThrottled = ({ httpStatus, retryAfterMs }: AttemptOutcome): boolean =>
  httpStatus === 429 || (httpStatus === 503 && retryAfterMs !== null);

import { PlatformError } from '@crm/contracts';

/** `record`: deliveries of a record are made one after the other, in the order of its versions. */
export const ORDERINGS = ['none', 'record'] as const;
export type Ordering = (typeof ORDERINGS)[number];

/** A delivery that keeps failing is set aside for later ones of its record (`skip`), or makes them wait (`hold`). */
export const STALL_RULES = ['skip', 'hold'] as const;
export type StallRule = (typeof STALL_RULES)[number];

/** The platform disables with a reason, an administrator pauses. Either holds events. */
export const SUBSCRIPTION_STATUSES = ['active', 'paused', 'disabled'] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

interface State {
  readonly enabled: boolean;
  readonly disabledReason: string | null;
}

export function statusOf({ enabled, disabledReason }: State): SubscriptionStatus {
  if (enabled) return 'active';
  return disabledReason === null ? 'paused' : 'disabled';
}

/** Changes that activate a subscription. Past failures are forgotten, so that the next one does not disable it again. */
export const ACTIVE = {
  enabled: true,
  disabledReason: null,
  failingSince: null,
  failedAt: null,
  failingHours: 0,
} as const;

/** How the subscription of a revoked app is shown: nothing is delivered to it, whatever its own state. */
export const REVOKED = { enabled: false, disabledReason: "The platform's operators have revoked the app" } as const;

/** The only event that a removed subscription still gets: that its app was uninstalled. */
export const REMOVAL_EVENT = 'app.uninstalled';

export function refuseUnknownSubscription(): never {
  throw new PlatformError('NOT_FOUND', 'Subscription not found');
}

/** SQL: until when a receiver is left alone. A pause that began in the future is of a clock that was ahead, and over. */
export const PAUSED_UNTIL = "CASE WHEN paused_at > now() + interval '1 minute' THEN NULL ELSE paused_until END";

import type { Subscription } from './subscription.entity.js';

/** `disabled` is what the platform does, with a reason; `paused` what an administrator asks for. Both hold events. */
export const SUBSCRIPTION_STATUSES = ['active', 'paused', 'disabled'] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

type State = Pick<Subscription, 'enabled' | 'disabledReason' | 'failingSince' | 'failedAt' | 'failingHours'>;

export function statusOf({ enabled, disabledReason }: Pick<State, 'enabled' | 'disabledReason'>): SubscriptionStatus {
  if (enabled) return 'active';
  return disabledReason === null ? 'paused' : 'disabled';
}

/** A subscription of whose receiver no failure is known. */
export const NOT_FAILING = { failingSince: null, failedAt: null, failingHours: 0 } as const;

/** Past failures are forgotten, so that the next one does not disable it again. */
export const ACTIVE: State = { enabled: true, disabledReason: null, ...NOT_FAILING };

/** The only event that the subscription of a removed installation still gets: that it was removed. */
export const REMOVAL_EVENT = 'app.uninstalled';

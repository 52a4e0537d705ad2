import { type LimitState, PlatformError } from '@crm/contracts';
import type { Queryable } from '../transaction.js';
import { FIND_QUOTA_USE, TAKE_QUOTA } from './quota.sql.js';

export const HOUR_SECONDS = 3600;
export const DAY_SECONDS = 24 * HOUR_SECONDS;

export interface QuotaRule {
  /** Of the row, and of the policy in responses: letters, digits, dashes, and a colon before what the policy is kept for. */
  readonly name: string;
  /** Uses per window. */
  readonly limit: number;
  readonly windowSeconds: number;
  /** What is counted, in the plural, as the refusal names it: `new users`. */
  readonly what: string;
}

interface Use {
  readonly used: number;
  readonly resetSeconds: number;
}

/**
 * Uses one of a tenant's quota, in the transaction of what is counted.
 * @param tx in the context of the tenant
 * @returns how many are left in the window
 * @throws PlatformError RATE_LIMITED when none was left
 */
export async function takeQuota(tx: Queryable, tenantId: string, rule: QuotaRule): Promise<number> {
  const { name, limit, windowSeconds } = rule;
  const [use] = await tx.query<Use>(TAKE_QUOTA, [tenantId, name, limit, windowSeconds]);
  if (!use) throw new Error('The use of a quota was neither added nor changed');
  if (use.used > limit) throw quotaRefusal(rule, use.resetSeconds);
  return limit - use.used;
}

/**
 * Uses nothing.
 * @param tx in the context of the tenant
 * @throws PlatformError RATE_LIMITED when none is left
 */
export async function assertQuotaLeft(tx: Queryable, tenantId: string, rule: QuotaRule): Promise<void> {
  const [use] = await tx.query<Use>(FIND_QUOTA_USE, [tenantId, rule.name]);
  if (use && use.used >= rule.limit) throw quotaRefusal(rule, use.resetSeconds);
}

/** The error for a quota of which nothing is left. */
export function quotaRefusal({ name, limit, windowSeconds, what }: QuotaRule, resetSeconds: number): PlatformError {
  const state: LimitState = {
    name: name.split(':')[0] ?? name,
    quota: limit,
    windowSeconds,
    remaining: 0,
    resetSeconds: Math.max(1, Math.ceil(resetSeconds)),
  };
  const window = windowSeconds === DAY_SECONDS ? 'day' : windowSeconds === HOUR_SECONDS ? 'hour' : `${windowSeconds} s`;
  return new PlatformError('RATE_LIMITED', `The limit of ${limit} ${what} per ${window} is reached`, {
    retryAfterSeconds: state.resetSeconds,
    limits: [state],
  });
}

import { type LimitState, PlatformError, type ServiceDatabase } from '@crm/contracts';
import type { QueryRunner } from 'typeorm';
import { createTenantTable } from './migrations/tables.js';
import type { Queryable } from './transaction.js';

/** `narrowTakes`: by the narrow role in the context of a tenant; `narrowReads`: it shows the use of all tenants. */
export async function createQuotaTable(
  runner: QueryRunner,
  roles: ServiceDatabase,
  options: { narrowTakes?: boolean; narrowReads?: boolean } = {},
): Promise<void> {
  await createTenantTable(runner, roles, {
    name: 'quota_use',
    columns: `
      name text NOT NULL,
      used integer NOT NULL,
      resets_at timestamptz NOT NULL`,
    primaryKey: ['name'],
    grants: ['select', 'insert', 'update'],
    narrow: options.narrowReads ? ['select'] : [],
  });
  // No separate policy: like every role, the narrow role writes rows of the tenant in context only.
  if (options.narrowTakes) await runner.query(`GRANT SELECT, INSERT, UPDATE ON quota_use TO ${roles.narrowRole}`);
}

/** The first use begins the window; refused calls do not grow the number. $1: tenant, $2: name, $3: limit, $4: seconds. */
const TAKE_QUOTA = `
  INSERT INTO quota_use AS q (tenant_id, name, used, resets_at)
  VALUES ($1, $2, 1, now() + make_interval(secs => $4))
  ON CONFLICT (tenant_id, name) DO UPDATE SET
    used = CASE WHEN q.resets_at <= now() THEN 1 ELSE LEAST(q.used, $3::integer) + 1 END,
    resets_at = CASE WHEN q.resets_at <= now() THEN EXCLUDED.resets_at ELSE q.resets_at END
  RETURNING used, extract(epoch FROM resets_at - now())::float8 AS "resetSeconds"`;

/** No row while nothing is used. $1: tenant, $2: name. */
const FIND_QUOTA_USE = `
  SELECT used, extract(epoch FROM resets_at - now())::float8 AS "resetSeconds" FROM quota_use
   WHERE tenant_id = $1 AND name = $2 AND resets_at > now()`;

export const HOUR_SECONDS = 3600;
export const DAY_SECONDS = 24 * HOUR_SECONDS;

export interface QuotaRule {
  /** Names the row and the policy in responses: letters, digits, dashes, a colon before what it is kept for. */
  readonly name: string;
  readonly limit: number;
  readonly windowSeconds: number;
  /** What is counted, in the plural, as the refusal names it: `new users`. */
  readonly what: string;
}

interface Use {
  readonly used: number;
  readonly resetSeconds: number;
}

/** Uses one, in the transaction of what is counted. @returns how many are left @throws PlatformError RATE_LIMITED for none */
export async function takeQuota(tx: Queryable, tenantId: string, rule: QuotaRule): Promise<number> {
  const { name, limit, windowSeconds } = rule;
  const [use] = await tx.query<Use>(TAKE_QUOTA, [tenantId, name, limit, windowSeconds]);
  if (!use) throw new Error('The use of a quota was neither added nor changed');
  if (use.used > limit) throw quotaRefusal(rule, use.resetSeconds);
  return limit - use.used;
}

/** Uses nothing. @throws PlatformError RATE_LIMITED when none is left */
export async function assertQuotaLeft(tx: Queryable, tenantId: string, rule: QuotaRule): Promise<void> {
  const [use] = await tx.query<Use>(FIND_QUOTA_USE, [tenantId, rule.name]);
  if (use && use.used >= rule.limit) throw quotaRefusal(rule, use.resetSeconds);
}

export function quotaRefusal({ name, limit, windowSeconds, what }: QuotaRule, resetSeconds: number): PlatformError {
  const state: LimitState = {
    name: name.split(':')[0] ?? name,
    quota: limit,
    windowSeconds,
    remaining: 0,
    resetSeconds: Math.max(1, Math.ceil(resetSeconds)),
  };
  const window = windowSeconds === DAY_SECONDS ? 'day' : windowSeconds === HOUR_SECONDS ? 'hour' : `${windowSeconds} s`;
  return new PlatformError('RATE_LIMITED', `Limit reached: ${limit} ${what} per ${window}`, {
    retryAfterSeconds: state.resetSeconds,
    limits: [state],
  });
}

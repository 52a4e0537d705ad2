import { byTenant, Database, type ReadOfEveryTenant, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';

/** $1: tenant, $2: subscriptions, $3: when something in each is due; null for now. */
const WAKE_QUEUES = 'SELECT wake_queues($1, $2, $3)';

/** $1: subscriptions, $2: tenants, whose queues are left out. */
export const findNextDue: ReadOfEveryTenant = (table) => `
  SELECT (extract(epoch FROM due_at - now()) * 1000)::float8 AS "dueInMs"
    FROM ${table('subscription_queue')}
   WHERE subscription_id <> ALL ($1::uuid[]) AND tenant_id <> ALL ($2::uuid[])
   ORDER BY due_at LIMIT 1`;

/** Steps from one subscription with waiting deliveries to the next by an index, however many wait in each. */
const findWaiting: ReadOfEveryTenant = (table) => `
  WITH RECURSIVE waiting AS (
    (SELECT tenant_id, subscription_id, due_at FROM ${table('due_delivery')}
      ORDER BY tenant_id, subscription_id, is_retry, due_at LIMIT 1)
    UNION ALL
    SELECT next.tenant_id, next.subscription_id, next.due_at FROM waiting CROSS JOIN LATERAL (
      SELECT tenant_id, subscription_id, due_at FROM ${table('due_delivery')}
       WHERE (tenant_id, subscription_id) > (waiting.tenant_id, waiting.subscription_id)
       ORDER BY tenant_id, subscription_id, is_retry, due_at LIMIT 1) AS next)
  SELECT tenant_id AS "tenantId", subscription_id AS "subscriptionId", due_at AS "dueAt" FROM waiting`;

/** $1: tenant, $2: subscriptions, $3: when something is due in each. */
const REPAIR_QUEUES = 'SELECT repair_queues($1, $2, $3) AS repaired';

export interface SubscriptionKey {
  readonly tenantId: string;
  readonly subscriptionId: string;
}

export interface WokenQueue extends SubscriptionKey {
  readonly dueAt: Date | null;
}

/**
 * A subscription has a queue while its deliveries wait; `due_at` is never later than when one of them may be claimed. Anyone who
 * makes a delivery due locks the row until the commit, so that `due_at` never moves past a delivery that is not visible yet.
 */
@Injectable()
export class SubscriptionQueueRepository {
  constructor(private readonly database: Database) {}

  /** Makes queues due in the transaction that makes their deliveries due. Does not wait for the server. */
  wake(tx: TenantTransaction, queues: readonly Omit<WokenQueue, 'tenantId'>[]): void {
    tx.issue(WAKE_QUEUES, [
      tx.tenantId,
      queues.map(({ subscriptionId }) => subscriptionId),
      queues.map(({ dueAt }) => dueAt),
    ]);
  }

  /** @returns null when nothing waits, apart from the queues of these subscriptions and tenants */
  async findDueInMs(closed: readonly string[], full: readonly string[]): Promise<number | null> {
    const rows = await this.database.everyTenant.read<{ dueInMs: number }>(findNextDue, [closed, full]);
    return rows.length > 0 ? Math.max(0, Math.min(...rows.map(({ dueInMs }) => dueInMs))) : null;
  }

  /** @returns how many were missing or due too late */
  async repair(): Promise<number> {
    const waiting = await this.database.everyTenant.read<WokenQueue & { dueAt: Date }>(findWaiting);
    const calls = byTenant(waiting).map(([tenantId, own]) => [
      tenantId,
      own.map(({ subscriptionId }) => subscriptionId),
      own.map(({ dueAt }) => dueAt),
    ]);
    const rows = await this.database.everyTenant.call<{ repaired: number }>(REPAIR_QUEUES, calls);
    return rows.reduce((sum, { repaired }) => sum + repaired, 0);
  }
}

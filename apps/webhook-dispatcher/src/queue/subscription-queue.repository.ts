import type { NarrowTransaction, TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';

/**
 * A row that is due already is shared and not written, so that events that arrive together do not wait for each other.
 * $1, $2: tenants and subscriptions, $3: when something in them is due; null for now.
 */
export const WAKE_QUEUES = `
  WITH wanted AS MATERIALIZED (
    SELECT tenant_id, subscription_id, min(coalesce(due_at, now())) AS due_at
      FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) AS queue (tenant_id, subscription_id, due_at)
     GROUP BY tenant_id, subscription_id),
  due AS MATERIALIZED (
    SELECT tenant_id, subscription_id FROM subscription_queue AS queue JOIN wanted USING (tenant_id, subscription_id)
     WHERE queue.due_at <= wanted.due_at
       FOR KEY SHARE OF queue)
  INSERT INTO subscription_queue AS queue (tenant_id, subscription_id, due_at)
  SELECT tenant_id, subscription_id, due_at FROM wanted
   WHERE NOT EXISTS (SELECT 1 FROM due WHERE due.tenant_id = wanted.tenant_id
                        AND due.subscription_id = wanted.subscription_id)
   ORDER BY tenant_id, subscription_id
  ON CONFLICT (tenant_id, subscription_id) DO UPDATE SET due_at = least(queue.due_at, EXCLUDED.due_at)`;

/** Locks the queues that nobody else has locked. $1, $2: tenants and subscriptions, in pairs. */
export const LOCK_FREE_QUEUES = `
  SELECT tenant_id AS "tenantId", subscription_id AS "subscriptionId"
    FROM subscription_queue AS queue
    JOIN unnest($1::uuid[], $2::uuid[]) AS wanted (tenant_id, subscription_id) USING (tenant_id, subscription_id)
     FOR UPDATE OF queue SKIP LOCKED`;

/** Finds the first unclaimed first attempt or retry of a locked queue, and the claimed ones before it. */
const nextOf = (name: string, condition: string): string => `
      LEFT JOIN LATERAL (
        SELECT due_at AS at FROM due_delivery
         WHERE tenant_id = held.tenant_id AND subscription_id = held.subscription_id AND ${condition}
           AND (claimed_until IS NULL OR claimed_until < now())
         ORDER BY due_at LIMIT 1) AS ${name} ON true
      -- Claimed deliveries stand before the first unclaimed one; those behind it are not needed.
      LEFT JOIN LATERAL (
        SELECT min(claimed_until) AS until FROM due_delivery
         WHERE tenant_id = held.tenant_id AND subscription_id = held.subscription_id AND ${condition}
           AND due_at < coalesce(${name}.at, 'infinity') AND claimed_until >= now()) AS claimed_${name} ON true`;

/** After LOCK_FREE_QUEUES, so that it sees everything that was committed before the rows were locked. $1, $2: as there. */
export const SETTLE_QUEUES = `
  WITH queue AS MATERIALIZED (
    SELECT held.tenant_id, held.subscription_id,
           least(first.at, claimed_first.until, retry.at, claimed_retry.until) AS due_at
      FROM unnest($1::uuid[], $2::uuid[]) AS held (tenant_id, subscription_id)${nextOf('first', 'NOT is_retry')}${nextOf('retry', 'is_retry')}),
  empty AS (
    DELETE FROM subscription_queue USING queue
     WHERE subscription_queue.tenant_id = queue.tenant_id
       AND subscription_queue.subscription_id = queue.subscription_id AND queue.due_at IS NULL)
  UPDATE subscription_queue SET due_at = greatest(queue.due_at, now()) FROM queue
   WHERE subscription_queue.tenant_id = queue.tenant_id
     AND subscription_queue.subscription_id = queue.subscription_id AND queue.due_at IS NOT NULL`;

/** $1: subscriptions, $2: tenants, whose queues are left out. */
export const FIND_NEXT_DUE = `
  SELECT (extract(epoch FROM due_at - now()) * 1000)::float8 AS "dueInMs"
    FROM subscription_queue
   WHERE subscription_id <> ALL ($1::uuid[]) AND tenant_id <> ALL ($2::uuid[])
   ORDER BY due_at LIMIT 1`;

/** Steps from one subscription with waiting deliveries to the next by an index, however many wait in each. */
const REPAIR_QUEUES = `
  WITH RECURSIVE waiting AS (
    (SELECT tenant_id, subscription_id, due_at FROM due_delivery
      ORDER BY tenant_id, subscription_id, is_retry, due_at LIMIT 1)
    UNION ALL
    SELECT next.tenant_id, next.subscription_id, next.due_at FROM waiting CROSS JOIN LATERAL (
      SELECT tenant_id, subscription_id, due_at FROM due_delivery
       WHERE (tenant_id, subscription_id) > (waiting.tenant_id, waiting.subscription_id)
       ORDER BY tenant_id, subscription_id, is_retry, due_at LIMIT 1) AS next)
  INSERT INTO subscription_queue AS queue (tenant_id, subscription_id, due_at)
  SELECT tenant_id, subscription_id, due_at FROM waiting
  -- A queue that is due is looked into anyway, and keeps its turn.
  ON CONFLICT (tenant_id, subscription_id) DO UPDATE SET due_at = EXCLUDED.due_at
    WHERE queue.due_at > EXCLUDED.due_at AND queue.due_at > now()
  RETURNING 1`;

export interface SubscriptionKey {
  readonly tenantId: string;
  readonly subscriptionId: string;
}

export interface WokenQueue extends SubscriptionKey {
  readonly dueAt: Date | null;
}

export const tenantsOf = (keys: readonly Pick<SubscriptionKey, 'tenantId'>[]) => keys.map(({ tenantId }) => tenantId);
export const subscriptionsOf = (keys: readonly SubscriptionKey[]) => keys.map(({ subscriptionId }) => subscriptionId);

/**
 * A subscription has a queue while its deliveries wait; `due_at` is never later than when one of them may be claimed. Whoever
 * makes a delivery due locks the row until the commit, so that `due_at` never moves past a delivery that is not visible yet.
 */
@Injectable()
export class SubscriptionQueueRepository {
  /** Makes queues due in the transaction that makes their deliveries due. Does not wait for the server. */
  wake(tx: TenantTransaction | NarrowTransaction, queues: readonly WokenQueue[]): void {
    tx.issue(WAKE_QUEUES, [tenantsOf(queues), subscriptionsOf(queues), queues.map(({ dueAt }) => dueAt)]);
  }

  /**
   * Moves queues on to their next claimable delivery and deletes empty ones. A queue that is still due goes behind all others.
   * Queues that another transaction has locked stay as they are, which is always right.
   */
  async settle(tx: NarrowTransaction, queues: readonly SubscriptionKey[]): Promise<void> {
    const locked = await tx.query<SubscriptionKey>(LOCK_FREE_QUEUES, [tenantsOf(queues), subscriptionsOf(queues)]);
    if (locked.length === 0) return;
    await tx.query(SETTLE_QUEUES, [tenantsOf(locked), subscriptionsOf(locked)]);
  }

  /** @returns null when nothing waits, apart from the queues of these subscriptions and tenants */
  async findDueInMs(tx: NarrowTransaction, closed: readonly string[], full: readonly string[]): Promise<number | null> {
    const [row] = await tx.query<{ dueInMs: number }>(FIND_NEXT_DUE, [closed, full]);
    return row ? Math.max(0, row.dueInMs) : null;
  }

  async repair(tx: NarrowTransaction): Promise<number> {
    return (await tx.query(REPAIR_QUEUES)).length;
  }
}

import type { NarrowTransaction, TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';

/** The queue of a subscription: its deliveries that wait for an attempt. */
export interface SubscriptionQueue {
  readonly tenantId: string;
  readonly subscriptionId: string;
}

const tenantsOf = (queues: readonly SubscriptionQueue[]) => queues.map(({ tenantId }) => tenantId);
const subscriptionsOf = (queues: readonly SubscriptionQueue[]) => queues.map(({ subscriptionId }) => subscriptionId);

/**
 * SQL of the queues. A subscription has a row here while deliveries of it wait, and `due_at` is never later than the
 * moment at which one of them may be claimed. It may be earlier: then a look finds nothing and puts it right.
 *
 * Who makes a delivery due holds its queue's row until the commit, and who moves `due_at` on needs that row alone. So
 * nobody moves it on past a delivery that he does not see yet.
 */
@Injectable()
export class SubscriptionQueueRepository {
  /**
   * Makes queues due, in the transaction that makes deliveries of them due. A row that is due already is shared and not
   * written, so that events that come together do not wait for each other.
   * @param at when the first attempt is due; now when left out
   */
  async wake(
    tx: TenantTransaction | NarrowTransaction,
    queues: readonly SubscriptionQueue[],
    at: Date | null = null,
  ): Promise<void> {
    await tx.query(
      `WITH wanted AS MATERIALIZED (
         SELECT DISTINCT tenant_id, subscription_id, coalesce($3::timestamptz, now()) AS due_at
           FROM unnest($1::uuid[], $2::uuid[]) AS queue(tenant_id, subscription_id)),
       due AS MATERIALIZED (
         SELECT tenant_id, subscription_id FROM subscription_queue AS queue JOIN wanted USING (tenant_id, subscription_id)
          WHERE queue.due_at <= wanted.due_at
            FOR KEY SHARE OF queue)
       INSERT INTO subscription_queue AS queue (tenant_id, subscription_id, due_at)
       SELECT tenant_id, subscription_id, due_at FROM wanted
        WHERE NOT EXISTS (SELECT 1 FROM due WHERE due.tenant_id = wanted.tenant_id
                             AND due.subscription_id = wanted.subscription_id)
        ORDER BY tenant_id, subscription_id
       ON CONFLICT (tenant_id, subscription_id) DO UPDATE SET due_at = least(queue.due_at, EXCLUDED.due_at)`,
      [tenantsOf(queues), subscriptionsOf(queues), at],
    );
  }

  /**
   * Moves queues on to when something in them may be claimed next, and takes away those in which nothing waits. One that
   * is due still goes behind all others that are. Queues that somebody holds are left as they are, which is always right.
   */
  async settle(tx: NarrowTransaction, queues: readonly SubscriptionQueue[]): Promise<void> {
    const held = await tx.query<{ tenant_id: string; subscription_id: string }>(
      `SELECT tenant_id, subscription_id
         FROM subscription_queue AS queue
         JOIN unnest($1::uuid[], $2::uuid[]) AS wanted(tenant_id, subscription_id) USING (tenant_id, subscription_id)
          FOR UPDATE OF queue SKIP LOCKED`,
      [tenantsOf(queues), subscriptionsOf(queues)],
    );
    if (held.length === 0) return;
    // A statement of its own: it sees all that was committed before the rows were held.
    await tx.query(
      `WITH queue AS MATERIALIZED (
         SELECT held.tenant_id, held.subscription_id, least(unclaimed.at, claimed.until) AS due_at
           FROM unnest($1::uuid[], $2::uuid[]) AS held(tenant_id, subscription_id)
           LEFT JOIN LATERAL (
             SELECT next_attempt_at AS at FROM delivery
              WHERE tenant_id = held.tenant_id AND subscription_id = held.subscription_id
                AND next_attempt_at IS NOT NULL AND (claimed_until IS NULL OR claimed_until < now())
              ORDER BY next_attempt_at LIMIT 1) AS unclaimed ON true
           -- The claimed ones stand before the first unclaimed one; those behind it are not needed.
           LEFT JOIN LATERAL (
             SELECT min(claimed_until) AS until FROM delivery
              WHERE tenant_id = held.tenant_id AND subscription_id = held.subscription_id
                AND next_attempt_at < coalesce(unclaimed.at, 'infinity') AND claimed_until >= now()) AS claimed ON true),
       empty AS (
         DELETE FROM subscription_queue USING queue
          WHERE subscription_queue.tenant_id = queue.tenant_id
            AND subscription_queue.subscription_id = queue.subscription_id AND queue.due_at IS NULL)
       UPDATE subscription_queue SET due_at = greatest(queue.due_at, now()) FROM queue
        WHERE subscription_queue.tenant_id = queue.tenant_id
          AND subscription_queue.subscription_id = queue.subscription_id AND queue.due_at IS NOT NULL`,
      [held.map((row) => row.tenant_id), held.map((row) => row.subscription_id)],
    );
  }

  /**
   * Milliseconds until a queue is due (0 when one is already), null when nothing waits.
   * @param closed subscriptions that are not asked for now
   * @param full tenants that are not asked for now
   */
  async untilNext(tx: NarrowTransaction, closed: readonly string[], full: readonly string[]): Promise<number | null> {
    const [row] = await tx.query<{ wait: number }>(
      `SELECT (extract(epoch FROM due_at - now()) * 1000)::float8 AS wait
         FROM subscription_queue
        WHERE subscription_id <> ALL($1::uuid[]) AND tenant_id <> ALL($2::uuid[])
        ORDER BY due_at LIMIT 1`,
      [closed, full],
    );
    return row ? Math.max(0, row.wait) : null;
  }

  /**
   * Makes the queues that are missing and brings forward those that are late: of deliveries written by a version of this
   * service that knew none. Steps from one subscription with waiting deliveries to the next, however many wait in each.
   * @returns how many were made or brought forward; also some that only have claimed deliveries, whose next look is early
   */
  async repair(tx: NarrowTransaction): Promise<number> {
    const rows = await tx.query(
      `WITH RECURSIVE waiting AS (
         (SELECT tenant_id, subscription_id, next_attempt_at FROM delivery WHERE next_attempt_at IS NOT NULL
           ORDER BY tenant_id, subscription_id, next_attempt_at LIMIT 1)
         UNION ALL
         SELECT next.tenant_id, next.subscription_id, next.next_attempt_at FROM waiting CROSS JOIN LATERAL (
           SELECT tenant_id, subscription_id, next_attempt_at FROM delivery
            WHERE next_attempt_at IS NOT NULL
              AND (tenant_id, subscription_id) > (waiting.tenant_id, waiting.subscription_id)
            ORDER BY tenant_id, subscription_id, next_attempt_at LIMIT 1) AS next)
       INSERT INTO subscription_queue AS queue (tenant_id, subscription_id, due_at)
       SELECT tenant_id, subscription_id, next_attempt_at FROM waiting
       -- One that is due is looked into as it is, and keeps its turn.
       ON CONFLICT (tenant_id, subscription_id) DO UPDATE SET due_at = EXCLUDED.due_at
         WHERE queue.due_at > EXCLUDED.due_at AND queue.due_at > now()
       RETURNING 1`,
    );
    return rows.length;
  }
}

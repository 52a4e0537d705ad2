import type { NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { ClaimedDelivery } from './delivery.js';

/** SQL of what crosses tenants: finding and claiming due deliveries. Runs as the narrow role. */
@Injectable()
export class DueDeliveryRepository {
  /**
   * Claims due deliveries, the longest due first. Rows that another process is claiming are passed over; a claim that
   * ran out, because its process died, counts as none.
   * @param closed subscriptions that are not asked for now
   * @param full tenants that are not asked for now
   * @param claimMs how long the claim holds; longer than an attempt may take
   */
  async claim(
    tx: NarrowTransaction,
    claim: string,
    limit: number,
    closed: readonly string[],
    full: readonly string[],
    claimMs: number,
  ): Promise<ClaimedDelivery[]> {
    const rows = await tx.query<{ tenant_id: string; id: string; subscription_id: string }>(
      `UPDATE delivery SET claim = $1, claimed_until = now() + $4 * interval '1 millisecond'
        WHERE (tenant_id, id) IN (
          SELECT tenant_id, id FROM delivery
           WHERE next_attempt_at <= now()
             AND (claimed_until IS NULL OR claimed_until < now())
             AND subscription_id <> ALL($3::uuid[])
             AND tenant_id <> ALL($5::uuid[])
           ORDER BY next_attempt_at
           LIMIT $2
             FOR UPDATE SKIP LOCKED)
       RETURNING tenant_id, id, subscription_id`,
      [claim, limit, closed, claimMs, full],
    );
    return rows.map((row) => ({ tenantId: row.tenant_id, id: row.id, subscriptionId: row.subscription_id, claim }));
  }

  /** Gives claims back that this process has no room for. */
  async release(tx: NarrowTransaction, claimed: readonly ClaimedDelivery[]): Promise<void> {
    await tx.query(
      `UPDATE delivery SET claim = NULL, claimed_until = NULL
         FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS released(tenant_id, id, claim)
        WHERE delivery.tenant_id = released.tenant_id AND delivery.id = released.id AND delivery.claim = released.claim`,
      [claimed.map((row) => row.tenantId), claimed.map((row) => row.id), claimed.map((row) => row.claim)],
    );
  }

  /** Milliseconds until something unclaimed is due (0 when it is already), null when nothing waits. */
  async untilNext(tx: NarrowTransaction, closed: readonly string[], full: readonly string[]): Promise<number | null> {
    const [row] = await tx.query<{ wait: number | null }>(
      `SELECT (extract(epoch FROM greatest(next_attempt_at, claimed_until) - now()) * 1000)::float8 AS wait
         FROM delivery
        WHERE next_attempt_at IS NOT NULL AND subscription_id <> ALL($1::uuid[]) AND tenant_id <> ALL($2::uuid[])
        ORDER BY next_attempt_at LIMIT 1`,
      [closed, full],
    );
    return row?.wait === null || row?.wait === undefined ? null : Math.max(0, row.wait);
  }
}

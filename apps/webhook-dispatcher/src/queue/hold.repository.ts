import type { NarrowTransaction, TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { SubscriptionKey } from './subscription-queue.repository.js';

// A hold counts the held deliveries of a subscription, so that neither the bound nor an answer has to. Anyone who changes such
// deliveries locks their holds first, in the order of the subscriptions. A discarded hold belongs to a deleted subscription.

/** $1: tenant, $2: subscription. */
export const LOCK_HOLD = `
  SELECT 1 AS locked FROM subscription_hold WHERE tenant_id = $1 AND subscription_id = $2 FOR UPDATE`;

/** $1: tenant, $2: subscription, $3: how many. */
const HOLD_DUE = 'SELECT hold_due($1, $2, $3) AS count';

/** $1: tenant, $2: subscriptions. */
const RECOUNT_HOLDS = 'SELECT recount_holds($1, $2)';

/** Deliveries that are still held from before are counted by `recount_holds`. $1: tenant, $2: subscription. */
const OPEN_HOLD = `
  INSERT INTO subscription_hold AS hold (tenant_id, subscription_id) VALUES ($1, $2)
  ON CONFLICT (tenant_id, subscription_id) DO UPDATE SET dropped = 0`;

/** $1: tenant, $2: subscriptions. */
export const LIST_HOLDS = `
  SELECT subscription_id AS "subscriptionId", held, dropped::float8 AS dropped FROM subscription_hold
   WHERE tenant_id = $1 AND subscription_id = ANY ($2::uuid[])`;

/** $1: tenant, $2: subscription, $3: how many. */
const REDUCE_HOLD = `
  UPDATE subscription_hold SET held = greatest(held - $3, 0) WHERE tenant_id = $1 AND subscription_id = $2`;

/** For a deleted subscription, also one that was never paused. $1: tenant, $2: subscription. */
const DISCARD_HOLD = `
  INSERT INTO subscription_hold (tenant_id, subscription_id, is_discarded) VALUES ($1, $2, true)
  ON CONFLICT (tenant_id, subscription_id) DO UPDATE SET is_discarded = true`;

/** $1, $2: tenant and subscription of the last one before, $3: limit. */
const LIST_COUNTING_HOLDS = `
  SELECT tenant_id AS "tenantId", subscription_id AS "subscriptionId" FROM subscription_hold
   WHERE held > 0 AND NOT is_discarded AND (tenant_id, subscription_id) > ($1::uuid, $2::uuid)
   ORDER BY tenant_id, subscription_id LIMIT $3`;

/** $1: how many. */
const LIST_DISCARDED_HOLDS = `
  SELECT tenant_id AS "tenantId", subscription_id AS "subscriptionId" FROM subscription_hold
   WHERE is_discarded ORDER BY tenant_id, subscription_id LIMIT $1`;

/** $1: tenant, $2: subscription, $3: limit. */
const DISCARD_HELD_DELIVERIES = `
  WITH chosen AS MATERIALIZED (
    SELECT id FROM delivery
     WHERE tenant_id = $1 AND subscription_id = $2 AND status = 'held'
     ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED)
  UPDATE delivery SET status = 'failed', error_code = 'subscription_deleted',
                      error_message = 'The subscription was deleted while it held the delivery'
    FROM chosen WHERE delivery.tenant_id = $1 AND delivery.id = chosen.id
  RETURNING 1`;

/** $1: tenant, $2: subscription. */
const DELETE_HOLD = `
  DELETE FROM subscription_hold WHERE tenant_id = $1 AND subscription_id = $2 AND is_discarded`;

export interface Hold {
  readonly held: number;
  /** Events since it was last paused or disabled that exceeded the bound and were not kept. */
  readonly dropped: number;
}

export const NOTHING_HELD: Hold = { held: 0, dropped: 0 };

/** Holds of paused and disabled subscriptions. A hold is opened when that begins, and stays until the subscription is deleted. */
@Injectable()
export class HoldRepository {
  /** Locks a hold until the transaction ends. Does not wait for the server. */
  lock(tx: TenantTransaction | NarrowTransaction, { tenantId, subscriptionId }: SubscriptionKey): void {
    tx.issue(LOCK_HOLD, [tenantId, subscriptionId]);
  }

  /** @returns how many are held now; the hold is locked */
  async holdDue(tx: NarrowTransaction, { tenantId, subscriptionId }: SubscriptionKey, limit: number): Promise<number> {
    const [row] = await tx.query<{ count: number }>(HOLD_DUE, [tenantId, subscriptionId, limit]);
    return row?.count ?? 0;
  }

  /** The hold is locked. Does not wait for the server. */
  recount(tx: TenantTransaction | NarrowTransaction, { tenantId, subscriptionId }: SubscriptionKey): void {
    tx.issue(RECOUNT_HOLDS, [tenantId, [subscriptionId]]);
  }

  /** In the transaction that pauses or disables the subscription. */
  async open(tx: TenantTransaction, subscriptionId: string): Promise<Hold> {
    tx.issue(OPEN_HOLD, [tx.tenantId, subscriptionId]);
    this.recount(tx, { tenantId: tx.tenantId, subscriptionId });
    return (await this.list(tx, [subscriptionId])).get(subscriptionId) ?? NOTHING_HELD;
  }

  /** Keyed by subscription; those that were never paused or disabled are missing. */
  async list(tx: TenantTransaction, subscriptionIds: readonly string[]): Promise<ReadonlyMap<string, Hold>> {
    const rows = await tx.query<Hold & { subscriptionId: string }>(LIST_HOLDS, [tx.tenantId, subscriptionIds]);
    return new Map(rows.map(({ subscriptionId, held, dropped }) => [subscriptionId, { held, dropped }]));
  }

  /** The hold is locked. Does not wait for the server. */
  reduce(tx: TenantTransaction, subscriptionId: string, count: number): void {
    tx.issue(REDUCE_HOLD, [tx.tenantId, subscriptionId, count]);
  }

  /** Lets a sweeper end the held deliveries of subscriptions that are deleted in this transaction. */
  discard(tx: TenantTransaction, subscriptionIds: readonly string[]): void {
    for (const id of [...subscriptionIds].sort()) tx.issue(DISCARD_HOLD, [tx.tenantId, id]);
  }

  listCounting(tx: NarrowTransaction, last: SubscriptionKey, limit: number): Promise<SubscriptionKey[]> {
    return tx.query<SubscriptionKey>(LIST_COUNTING_HOLDS, [last.tenantId, last.subscriptionId, limit]);
  }

  listDiscarded(tx: NarrowTransaction, limit: number): Promise<SubscriptionKey[]> {
    return tx.query<SubscriptionKey>(LIST_DISCARDED_HOLDS, [limit]);
  }

  async discardSome(
    tx: NarrowTransaction,
    { tenantId, subscriptionId }: SubscriptionKey,
    limit: number,
  ): Promise<number> {
    return (await tx.query(DISCARD_HELD_DELIVERIES, [tenantId, subscriptionId, limit])).length;
  }

  delete(tx: NarrowTransaction, { tenantId, subscriptionId }: SubscriptionKey): void {
    tx.issue(DELETE_HOLD, [tenantId, subscriptionId]);
  }
}

import type { NarrowTransaction, TenantTransaction } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config.js';
import { type SubscriptionKey, subscriptionsOf, tenantsOf } from './subscription-queue.repository.js';

// A hold counts the held deliveries of a subscription, so that neither the bound nor an answer has to. Whoever changes such
// deliveries locks their holds first, in the order of the subscriptions. A discarded hold belongs to a deleted subscription.

/** $1, $2: tenants and subscriptions, in pairs. */
export const LOCK_HOLDS = `
  SELECT 1 AS locked FROM subscription_hold AS hold
    JOIN (SELECT DISTINCT * FROM unnest($1::uuid[], $2::uuid[]) AS wanted (tenant_id, subscription_id)) AS wanted
         USING (tenant_id, subscription_id)
   ORDER BY tenant_id, subscription_id
     FOR UPDATE OF hold`;

/**
 * What exceeds the bound $7 is counted and not written, the latest first. $1 to $6 and, nullable, $12 to $15 are columns of the
 * deliveries, $8 to $11 of the events of which every delivery is held, whose bodies are written only if one needs it.
 */
export const INSERT_HELD_DELIVERIES = `
  WITH given AS MATERIALIZED (
    SELECT given.*, row_number() OVER (PARTITION BY tenant_id, subscription_id ORDER BY id) AS number
      FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $12::text[], $13::uuid[],
                  $14::text[], $15::bigint[])
        AS given (tenant_id, id, subscription_id, event_id, event, url, app_key, installation_id, record_id, record_version)),
  judged AS MATERIALIZED (
    SELECT given.*, hold.held + number <= $7 AS fits
      FROM given JOIN subscription_hold AS hold USING (tenant_id, subscription_id) WHERE NOT hold.is_discarded),
  inserted AS (
    INSERT INTO delivery
      (tenant_id, id, subscription_id, event_id, event, url, status, attempts, app_key, installation_id,
       record_id, record_version)
    SELECT tenant_id, id, subscription_id, event_id, event, url, 'held', 0, app_key, installation_id,
           record_id, record_version FROM judged WHERE fits
    ON CONFLICT DO NOTHING RETURNING tenant_id, subscription_id, event_id),
  bodies AS (
    INSERT INTO event_body (tenant_id, id, event, body)
    SELECT * FROM unnest($8::uuid[], $9::uuid[], $10::text[], $11::text[]) AS body (tenant_id, id, event, body)
     WHERE (tenant_id, id) IN (SELECT tenant_id, event_id FROM inserted)
    ON CONFLICT DO NOTHING),
  change AS (
    SELECT tenant_id, subscription_id, sum(held)::int AS held, sum(dropped)::int AS dropped
      FROM (SELECT tenant_id, subscription_id, 1 AS held, 0 AS dropped FROM inserted
             UNION ALL
            SELECT tenant_id, subscription_id, 0, 1 FROM judged WHERE NOT fits) AS one
     GROUP BY tenant_id, subscription_id),
  counted AS (
    UPDATE subscription_hold AS hold SET held = hold.held + change.held, dropped = hold.dropped + change.dropped
      FROM change WHERE hold.tenant_id = change.tenant_id AND hold.subscription_id = change.subscription_id)
  SELECT count(*)::int AS dropped FROM judged WHERE NOT fits`;

/**
 * The bound does not apply to claimed ones, which were accepted before. $1: tenants, $2: ids, $3: claims, $4, $5: lowest and
 * highest id, which exclude partitions of other days.
 */
export const HOLD_CLAIMED_DELIVERIES = `
  WITH given AS MATERIALIZED (
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS given (tenant_id, id, claim)),
  ended AS (
    DELETE FROM due_delivery AS due USING given, subscription_hold AS hold
     WHERE due.tenant_id = given.tenant_id AND due.delivery_id = given.id AND due.claim = given.claim
       AND hold.tenant_id = due.tenant_id AND hold.subscription_id = due.subscription_id AND NOT hold.is_discarded
    RETURNING due.tenant_id, due.delivery_id AS id),
  held AS (
    UPDATE delivery SET status = 'held', next_attempt_at = NULL FROM ended
     WHERE delivery.tenant_id = ended.tenant_id AND delivery.id = ended.id AND delivery.id BETWEEN $4 AND $5
    RETURNING delivery.tenant_id, delivery.subscription_id, delivery.id),
  counted AS (
    UPDATE subscription_hold AS hold SET held = hold.held + change.count
      FROM (SELECT tenant_id, subscription_id, count(*)::int AS count FROM held GROUP BY tenant_id, subscription_id) AS change
     WHERE hold.tenant_id = change.tenant_id AND hold.subscription_id = change.subscription_id)
  SELECT id FROM held`;

/** Leaves claimed ones alone. $1: tenant, $2: subscription, $3: how many. */
const HOLD_DUE_DELIVERIES = `
  WITH chosen AS MATERIALIZED (
    SELECT due.tenant_id, due.delivery_id FROM due_delivery AS due
     WHERE due.tenant_id = $1 AND due.subscription_id = $2 AND due.due_at <= now()
       AND (due.claimed_until IS NULL OR due.claimed_until < now())
       AND EXISTS (SELECT 1 FROM subscription_hold AS hold
                    WHERE hold.tenant_id = $1 AND hold.subscription_id = $2 AND NOT hold.is_discarded)
     LIMIT $3 FOR UPDATE OF due SKIP LOCKED),
  ended AS (
    DELETE FROM due_delivery AS due USING chosen
     WHERE due.tenant_id = chosen.tenant_id AND due.delivery_id = chosen.delivery_id
    RETURNING due.tenant_id, due.delivery_id AS id),
  -- Unblocks the partitions of heads.
  heads AS (
    UPDATE ordered_delivery AS head SET state = 'ended' FROM ended
     WHERE head.tenant_id = ended.tenant_id AND head.delivery_id = ended.id),
  held AS (
    UPDATE delivery SET status = 'held', next_attempt_at = NULL FROM ended
     WHERE delivery.tenant_id = ended.tenant_id AND delivery.id = ended.id
    RETURNING 1),
  counted AS (
    UPDATE subscription_hold SET held = held + (SELECT count(*)::int FROM held)
     WHERE tenant_id = $1 AND subscription_id = $2)
  SELECT count(*)::int AS count FROM ended`;

/** $1, $2: tenants and subscriptions, in pairs. */
const RECOUNT_HOLDS = `
  UPDATE subscription_hold AS hold SET held = counted.held
    FROM (SELECT DISTINCT * FROM unnest($1::uuid[], $2::uuid[]) AS wanted (tenant_id, subscription_id)) AS wanted
         CROSS JOIN LATERAL (
           SELECT count(*)::int AS held FROM delivery
            WHERE delivery.tenant_id = wanted.tenant_id AND delivery.subscription_id = wanted.subscription_id
              AND delivery.status = 'held') AS counted
   WHERE hold.tenant_id = wanted.tenant_id AND hold.subscription_id = wanted.subscription_id`;

/** Deliveries that are still held from before are counted by RECOUNT_HOLDS. $1: tenant, $2: subscription. */
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

/** For deleted subscriptions, also those that were never paused. $1: tenant, $2: subscriptions. */
const DISCARD_HOLDS = `
  INSERT INTO subscription_hold (tenant_id, subscription_id, is_discarded)
  SELECT $1, subscription_id, true FROM unnest($2::uuid[]) AS subscription_id ORDER BY subscription_id
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
    SELECT tenant_id, id FROM delivery
     WHERE tenant_id = $1 AND subscription_id = $2 AND status = 'held'
     ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED)
  UPDATE delivery SET status = 'failed', error_code = 'subscription_deleted',
                      error_message = 'The subscription was deleted while it held the delivery'
    FROM chosen WHERE delivery.tenant_id = chosen.tenant_id AND delivery.id = chosen.id
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

interface HeldDelivery extends SubscriptionKey {
  readonly id: string;
  readonly eventId: string;
  readonly event: string;
  readonly url: string;
  readonly app: { readonly key: string; readonly installationId: string } | null;
  /** Among the deliveries of its record; null for one without an order. */
  readonly position: { readonly recordId: string; readonly recordVersion: number } | null;
}

/** An event whose deliveries are all held. */
interface HeldEvent {
  readonly tenantId: string;
  readonly eventId: string;
  readonly event: string;
  readonly body: string;
}

interface ClaimedHeldDelivery extends SubscriptionKey {
  readonly deliveryId: string;
  readonly claim: string;
}

/** Holds of paused and disabled subscriptions. A hold is opened when that begins, and stays until the subscription is deleted. */
@Injectable()
export class HoldRepository {
  constructor(@Inject(WEBHOOK_CONFIG) private readonly config: Pick<WebhookConfig, 'heldPerSubscription'>) {}

  /** Locks holds until the transaction ends. Does not wait for the server. */
  lock(tx: TenantTransaction | NarrowTransaction, holds: readonly SubscriptionKey[]): void {
    tx.issue(LOCK_HOLDS, [tenantsOf(holds), subscriptionsOf(holds)]);
  }

  /** @returns how many exceeded the bound; their holds are locked */
  async insert(
    tx: NarrowTransaction | TenantTransaction,
    deliveries: readonly HeldDelivery[],
    events: readonly HeldEvent[],
  ): Promise<number> {
    const [row] = await tx.queryPrepared<{ dropped: number }>(INSERT_HELD_DELIVERIES, [
      tenantsOf(deliveries),
      deliveries.map(({ id }) => id),
      subscriptionsOf(deliveries),
      deliveries.map(({ eventId }) => eventId),
      deliveries.map(({ event }) => event),
      deliveries.map(({ url }) => url),
      this.config.heldPerSubscription,
      tenantsOf(events),
      events.map(({ eventId }) => eventId),
      events.map(({ event }) => event),
      events.map(({ body }) => body),
      deliveries.map(({ app }) => app?.key ?? null),
      deliveries.map(({ app }) => app?.installationId ?? null),
      deliveries.map(({ position }) => position?.recordId ?? null),
      deliveries.map(({ position }) => position?.recordVersion ?? null),
    ]);
    return row?.dropped ?? 0;
  }

  /** @returns those that are held now; this process no longer claimed the others. Their holds are locked. */
  holdClaimed(
    tx: NarrowTransaction | TenantTransaction,
    deliveries: readonly ClaimedHeldDelivery[],
  ): Promise<{ id: string }[]> {
    const ids = deliveries.map(({ deliveryId }) => deliveryId).sort();
    return tx.queryPrepared<{ id: string }>(HOLD_CLAIMED_DELIVERIES, [
      tenantsOf(deliveries),
      deliveries.map(({ deliveryId }) => deliveryId),
      deliveries.map(({ claim }) => claim),
      ids[0],
      ids.at(-1),
    ]);
  }

  /** @returns how many are held now; the hold is locked */
  async holdDue(tx: NarrowTransaction, { tenantId, subscriptionId }: SubscriptionKey, limit: number): Promise<number> {
    const [row] = await tx.query<{ count: number }>(HOLD_DUE_DELIVERIES, [tenantId, subscriptionId, limit]);
    return row?.count ?? 0;
  }

  /** The holds are locked. Does not wait for the server. */
  recount(tx: TenantTransaction | NarrowTransaction, holds: readonly SubscriptionKey[]): void {
    tx.issue(RECOUNT_HOLDS, [tenantsOf(holds), subscriptionsOf(holds)]);
  }

  /** In the transaction that pauses or disables the subscription. */
  async open(tx: TenantTransaction, subscriptionId: string): Promise<Hold> {
    tx.issue(OPEN_HOLD, [tx.tenantId, subscriptionId]);
    this.recount(tx, [{ tenantId: tx.tenantId, subscriptionId }]);
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
    if (subscriptionIds.length > 0) tx.issue(DISCARD_HOLDS, [tx.tenantId, subscriptionIds]);
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

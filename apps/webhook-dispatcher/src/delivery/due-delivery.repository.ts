import type { NarrowTransaction, Room } from '@crm/database';
import { Injectable } from '@nestjs/common';
import {
  type SubscriptionKey,
  SubscriptionQueueRepository,
  tenantsOf,
} from '../queue/subscription-queue.repository.js';

/**
 * First attempts come before retries. $1: claim, $2: deliveries in all, $3, $4: subscriptions and tenants to leave out, $5:
 * queues, $6: deliveries per subscription, $7, $8: subscriptions with a lower limit, and the limit, $9: milliseconds to expiry.
 */
export const CLAIM_DELIVERIES = `
  WITH queue AS MATERIALIZED (
    SELECT tenant_id, subscription_id, due_at, coalesce(narrowed.most, $6) AS most
      FROM (SELECT tenant_id, subscription_id, due_at FROM subscription_queue
             WHERE due_at <= now() AND subscription_id <> ALL ($3::uuid[]) AND tenant_id <> ALL ($4::uuid[])
             ORDER BY due_at LIMIT $5) AS next
      LEFT JOIN unnest($7::uuid[], $8::int[]) AS narrowed (subscription_id, most) USING (subscription_id)
     ORDER BY due_at, subscription_id),
  due AS MATERIALIZED (
    SELECT delivery.tenant_id, delivery.delivery_id
      FROM queue CROSS JOIN LATERAL (
        SELECT tenant_id, delivery_id FROM due_delivery
         WHERE tenant_id = queue.tenant_id AND subscription_id = queue.subscription_id
           AND due_at <= now() AND (claimed_until IS NULL OR claimed_until < now())
         ORDER BY is_retry, due_at
         LIMIT queue.most
           FOR UPDATE SKIP LOCKED) AS delivery
     LIMIT $2),
  claimed AS (
    UPDATE due_delivery SET claim = $1, claimed_until = now() + $9 * interval '1 millisecond'
     WHERE (tenant_id, delivery_id) IN (SELECT tenant_id, delivery_id FROM due)
    RETURNING tenant_id, subscription_id, delivery_id, event_id, attempts, throttled, is_head)
  SELECT queue.tenant_id AS "tenantId", queue.subscription_id AS "subscriptionId", claimed.delivery_id AS id,
         claimed.event_id AS "eventId", claimed.attempts, claimed.throttled, claimed.is_head AS "isHead",
         subscription.version + coalesce(app_secret.version, 0) AS version
    FROM queue LEFT JOIN claimed USING (tenant_id, subscription_id)
    -- With limits, so that each is looked up, however few there seem to be.
    LEFT JOIN LATERAL (
      SELECT version, app_key FROM webhook_subscription
       WHERE tenant_id = queue.tenant_id AND id = queue.subscription_id
       LIMIT 1) AS subscription ON true
    LEFT JOIN LATERAL (
      SELECT version FROM app_secret WHERE app_key = subscription.app_key LIMIT 1) AS app_secret ON true
   ORDER BY queue.due_at, queue.subscription_id`;

/** $1, $2: tenants and events, $3, $4: lowest and highest id of the events, which exclude partitions of other days. */
export const FIND_BODIES = `
  SELECT id AS "eventId", body, traceparent FROM event_body
    JOIN unnest($1::uuid[], $2::uuid[]) AS wanted (tenant_id, id) USING (tenant_id, id)
   WHERE id BETWEEN $3 AND $4`;

/** $1, $2, $3: tenants, ids and claims of the deliveries. */
export const RELEASE_DELIVERIES = `
  UPDATE due_delivery AS due SET claim = NULL, claimed_until = NULL
    FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS released (tenant_id, delivery_id, claim)
   WHERE due.tenant_id = released.tenant_id AND due.delivery_id = released.delivery_id AND due.claim = released.claim`;

/** Counts in the 500 longest due queues, 1,000 first attempts and retries of each. $1: tenants to leave out. */
export const MEASURE_DUE_DELIVERIES = `
  SELECT count(*)::int AS items, extract(epoch FROM now() - min(due.due_at))::float8 AS "oldestSeconds"
    FROM (SELECT tenant_id, subscription_id FROM subscription_queue
           WHERE due_at <= now() AND tenant_id <> ALL ($1::uuid[]) ORDER BY due_at LIMIT 500) AS queue
   CROSS JOIN (VALUES (false), (true)) AS kind (is_retry)
   CROSS JOIN LATERAL (
     SELECT due_at FROM due_delivery
      WHERE tenant_id = queue.tenant_id AND subscription_id = queue.subscription_id AND is_retry = kind.is_retry
        AND due_at <= now() AND (claimed_until IS NULL OR claimed_until < now())
      ORDER BY due_at LIMIT 1000) AS due`;

/** Queues that one claim looks into; also bounds those that turn out to be empty. */
const QUEUES_AT_A_TIME = 100;

export interface ClaimLimits extends Room {
  readonly perSubscription: number;
  /** Lower limits of some subscriptions; 0 leaves one out. */
  readonly bySubscription: ReadonlyMap<string, number>;
}

export interface ClaimedDelivery extends SubscriptionKey {
  readonly id: string;
  readonly eventId: string;
  readonly attempts: number;
  /** How many of them do not count. */
  readonly throttled: number;
  /** Version of the subscription when it was claimed; null when it was deleted. */
  readonly version: number | null;
  /** Whether it is the head of a partition, for which later deliveries of its record wait. */
  readonly isHead: boolean;
  /** Null when it is no longer kept. */
  readonly body: string | null;
  /** Null when its event is not traced. */
  readonly traceparent: string | null;
  /** A delivery that another process has claimed in the meantime is not changed. */
  readonly claim: string;
}

export interface ClaimedDeliveries {
  readonly deliveries: ClaimedDelivery[];
  /** Whether more may be due than this claim looked at. */
  readonly isCut: boolean;
}

type ClaimRow = Omit<ClaimedDelivery, 'id' | 'body' | 'traceparent' | 'claim'> & {
  /** Null when nothing of this queue was claimed. */
  readonly id: string | null;
};

type KeptBody = Pick<ClaimedDelivery, 'body' | 'traceparent'>;

const NOT_KEPT: KeptBody = { body: null, traceparent: null };

/** Runs as the narrow role. */
@Injectable()
export class DueDeliveryRepository {
  constructor(private readonly queues: SubscriptionQueueRepository) {}

  /**
   * Reads no more than the limits, however much waits. Rows that another process is claiming are skipped.
   * @param claimMs milliseconds until the claim expires; longer than an attempt may take
   */
  async claim(tx: NarrowTransaction, claim: string, limits: ClaimLimits, claimMs: number): Promise<ClaimedDeliveries> {
    const closed = [...limits.bySubscription].filter(([, most]) => most === 0).map(([id]) => id);
    const rows = await tx.queryPrepared<ClaimRow>(CLAIM_DELIVERIES, [
      claim,
      limits.places,
      closed,
      limits.fullTenants,
      QUEUES_AT_A_TIME,
      limits.perSubscription,
      [...limits.bySubscription.keys()],
      [...limits.bySubscription.values()],
      claimMs,
    ]);
    const claimed = rows.flatMap((row) => (row.id === null ? [] : [{ ...row, id: row.id, claim }]));
    const bodies = this.bodiesOf(tx, claimed);
    const queues = queuesOf(rows);
    const isFull = claimed.length >= limits.places;
    // At the limit, the queues behind the last one that had something were not looked into and keep their position.
    const visited = isFull ? queues.slice(0, queues.findLastIndex((queue) => queue.hadSomething) + 1) : queues;
    if (visited.length > 0) await this.queues.settle(tx, visited);
    const found = await bodies;
    const deliveries = claimed.map((one) => ({ ...one, ...(found.get(one.eventId) ?? NOT_KEPT) }));
    return { deliveries, isCut: isFull || queues.length === QUEUES_AT_A_TIME };
  }

  /** The body of each event once, however many of its deliveries are claimed. */
  private async bodiesOf(
    tx: NarrowTransaction,
    claimed: readonly Pick<ClaimedDelivery, 'tenantId' | 'eventId'>[],
  ): Promise<ReadonlyMap<string, KeptBody>> {
    const tenants = new Map(claimed.map(({ eventId, tenantId }) => [eventId, tenantId]));
    const ids = [...tenants.keys()].sort();
    if (ids.length === 0) return new Map();
    const rows = await tx.queryPrepared<KeptBody & { eventId: string }>(FIND_BODIES, [
      ids.map((id) => tenants.get(id)),
      ids,
      ids[0],
      ids.at(-1),
    ]);
    return new Map(rows.map(({ eventId, body, traceparent }) => [eventId, { body, traceparent }]));
  }

  release(tx: NarrowTransaction, claimed: readonly ClaimedDelivery[]): void {
    const claims = [claimed.map(({ id }) => id), claimed.map(({ claim }) => claim)];
    tx.issue(RELEASE_DELIVERIES, [tenantsOf(claimed), ...claims]);
    const woken = claimed.map(({ tenantId, subscriptionId }) => ({ tenantId, subscriptionId, dueAt: null }));
    this.queues.wake(tx, woken);
  }
}

/** In order. */
function queuesOf(rows: readonly ClaimRow[]): (SubscriptionKey & { hadSomething: boolean })[] {
  const queues = new Map<string, SubscriptionKey & { hadSomething: boolean }>();
  for (const { tenantId, subscriptionId, id } of rows) {
    queues.set(subscriptionId, { tenantId, subscriptionId, hadSomething: id !== null });
  }
  return [...queues.values()];
}

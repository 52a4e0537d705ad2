import type { NarrowTransaction, TenantTransaction } from '@crm/database';
import type { Acknowledged } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { type SubscriptionKey, SubscriptionQueueRepository, tenantsOf } from './subscription-queue.repository.js';

// A partition has the deliveries of one record to one subscription that have not ended. Its head, of which the database allows
// one, is also in `due_delivery`. Rows become waiting or head, or go, only while LOCK_DELIVERY_ORDER is held; all others only
// add new rows and mark heads as ended, so that whoever holds the lock never decides by what is about to change.

/** Heads are appointed by one process at a time. The statements under the lock are short. */
const LOCK_DELIVERY_ORDER = `
  SELECT pg_advisory_xact_lock(hashtextextended('record_lines', 0))`;

export const FIND_FRESH = `
  SELECT EXISTS (SELECT 1 FROM ordered_delivery WHERE state IN ('new', 'ended')) AS "isFresh"`;

/** Whether everything that the stream had before is recorded, or has been waited for long enough. A lost stream counts anew. */
const isOpen = (row: string): string =>
  `(${row}.state <> 'new' OR ${row}.stream_sequence IS NULL
      OR (${row}.stream_sequence <= $1 AND ${row}.stored_at BETWEEN $4::timestamptz AND $5::timestamptz)
      OR ${row}.arrived_at < now() - $2 * interval '1 millisecond')`;

/**
 * Removes ended rows, and makes the first row of each changed partition without a head its head, due now.
 * $1, $2: sequence and longest wait of `Gate`, $3: rows to look at, $4, $5: when the stream stored what it has said that of.
 */
export const APPOINT_HEADS = `
  WITH fresh AS MATERIALIZED (
    SELECT tenant_id, delivery_id, subscription_id, record_id, state FROM ordered_delivery
     WHERE state IN ('new', 'ended') AND ${isOpen('ordered_delivery')}
     ORDER BY arrived_at LIMIT $3),
  changed AS MATERIALIZED (
    SELECT DISTINCT tenant_id, subscription_id, record_id FROM fresh),
  head AS MATERIALIZED (
    SELECT first.tenant_id, first.delivery_id, first.subscription_id, first.event_id, first.attempts
      FROM changed CROSS JOIN LATERAL (
        SELECT * FROM ordered_delivery
         WHERE tenant_id = changed.tenant_id AND subscription_id = changed.subscription_id
           AND record_id = changed.record_id AND state <> 'ended'
         ORDER BY record_version, event_id LIMIT 1) AS first
      -- With a limit, so that each partition is looked up, however few heads there seem to be.
      LEFT JOIN LATERAL (
        SELECT delivery_id FROM ordered_delivery
         WHERE tenant_id = changed.tenant_id AND subscription_id = changed.subscription_id
           AND record_id = changed.record_id AND state = 'head'
         LIMIT 1) AS present ON true
     WHERE present.delivery_id IS NULL AND ${isOpen('first')}),
  removed AS (
    DELETE FROM ordered_delivery AS old USING fresh
     WHERE old.tenant_id = fresh.tenant_id AND old.delivery_id = fresh.delivery_id
       AND fresh.state = 'ended' AND old.state = 'ended'),
  placed AS (
    UPDATE ordered_delivery AS row SET state = seen.state
      -- A row that is both becomes a head, which sorts before waiting.
      FROM (SELECT tenant_id, delivery_id, min(state) AS state
              FROM (SELECT tenant_id, delivery_id, 'head' AS state FROM head
                     UNION ALL
                    SELECT tenant_id, delivery_id, 'waiting' FROM fresh WHERE state = 'new') AS either
             GROUP BY tenant_id, delivery_id) AS seen
     WHERE row.tenant_id = seen.tenant_id AND row.delivery_id = seen.delivery_id),
  due AS (
    INSERT INTO due_delivery (tenant_id, delivery_id, subscription_id, event_id, attempts, is_retry, due_at, is_head)
    SELECT tenant_id, delivery_id, subscription_id, event_id, attempts, attempts > 0, now(), true FROM head)
  SELECT DISTINCT tenant_id AS "tenantId", subscription_id AS "subscriptionId" FROM head`;

/** Unblocks the partitions of heads, in the transaction that ends them. $1, $2: tenants and deliveries, in pairs. */
export const END_HEADS = `
  UPDATE ordered_delivery AS head SET state = 'ended'
    FROM unnest($1::uuid[], $2::uuid[]) AS settled (tenant_id, delivery_id)
   WHERE head.tenant_id = settled.tenant_id AND head.delivery_id = settled.delivery_id`;

/** Ends heads that are no longer due, which block their partitions. */
const REPAIR_HEADS = `
  UPDATE ordered_delivery AS head SET state = 'ended'
   WHERE state = 'head'
     AND NOT EXISTS (SELECT 1 FROM due_delivery AS due
                      WHERE due.tenant_id = head.tenant_id AND due.delivery_id = head.delivery_id)
  RETURNING 1`;

/** Makes the deliveries in `again` due behind first attempts, or puts those of a record back into their partition. */
export const DUE_AGAIN = `
  due AS (
    INSERT INTO due_delivery (tenant_id, delivery_id, subscription_id, event_id, attempts, is_retry, due_at)
    SELECT tenant_id, id, subscription_id, event_id, attempts, true, next_attempt_at FROM again WHERE record_id IS NULL),
  placed AS (
    INSERT INTO ordered_delivery
      (tenant_id, delivery_id, subscription_id, record_id, record_version, event_id, attempts, state)
    SELECT tenant_id, id, subscription_id, record_id, record_version, event_id, attempts, 'new'
      FROM again WHERE record_id IS NOT NULL
    -- It has just ended, and its row has not been removed yet.
    ON CONFLICT (tenant_id, delivery_id) DO UPDATE SET state = 'new', attempts = EXCLUDED.attempts)`;

/** Whether deliveries wait for events to be recorded that the stream had before. */
export const FIND_AWAITED = `
  SELECT EXISTS (SELECT 1 FROM ordered_delivery WHERE state = 'new') AS "isAwaited"`;

/** Decides whether a new delivery may become a head. */
interface Gate {
  /** What of the stream is recorded. */
  readonly recorded: Acknowledged;
  /** Milliseconds after which a delivery no longer waits for those before it in the stream. */
  readonly longestMs: number;
}

interface Appointed {
  readonly woken: number;
  /** Whether changes are left, because they wait for the stream or exceed the limit. */
  readonly isFresh: boolean;
}

/** Only heads are due, so that claims know nothing of order. Runs as the narrow role. */
@Injectable()
export class DeliveryOrderRepository {
  constructor(private readonly queues: SubscriptionQueueRepository) {}

  async appointHeads(tx: NarrowTransaction, { recorded, longestMs }: Gate, limit: number): Promise<Appointed> {
    const { upTo, since, until } = recorded;
    tx.issue(LOCK_DELIVERY_ORDER, []);
    // Not prepared: the table grows from nothing within a second, and a plan for an empty one reads it whole per partition.
    const [queues, [fresh]] = await Promise.all([
      tx.query<SubscriptionKey>(APPOINT_HEADS, [upTo, longestMs, limit, since, until]),
      tx.query<{ isFresh: boolean }>(FIND_FRESH),
    ]);
    const woken = queues.map((queue) => ({ ...queue, dueAt: null }));
    if (woken.length > 0) this.queues.wake(tx, woken);
    return { woken: queues.length, isFresh: fresh?.isFresh ?? false };
  }

  /** Only the owner of their claims may. Does not wait for the server. */
  endHeads(
    tx: NarrowTransaction | TenantTransaction,
    heads: readonly { readonly tenantId: string; readonly deliveryId: string }[],
  ): void {
    tx.issue(END_HEADS, [tenantsOf(heads), heads.map(({ deliveryId }) => deliveryId)]);
  }

  async isAwaited(tx: NarrowTransaction): Promise<boolean> {
    const [row] = await tx.query<{ isAwaited: boolean }>(FIND_AWAITED);
    return row?.isAwaited ?? false;
  }

  /** @returns how many partitions were blocked by a head that was no longer due */
  async repair(tx: NarrowTransaction): Promise<number> {
    return (await tx.query(REPAIR_HEADS)).length;
  }
}

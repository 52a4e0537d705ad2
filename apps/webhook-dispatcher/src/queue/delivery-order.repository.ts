import type { NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { type SubscriptionQueue, SubscriptionQueueRepository } from './subscription-queue.repository.js';

// A line has the deliveries of one record to one subscription that have not ended. Its head, of which the database allows one,
// is also in `due_delivery`. Rows become waiting, head, or go, only while LOCK_DELIVERY_ORDER is held; everybody else only adds new rows
// and marks heads as ended, so that whoever holds the lock never decides by what somebody else is about to change.

/** Who appoints heads does it alone, whatever the process. Its statements are short. */
const LOCK_DELIVERY_ORDER = `
  SELECT pg_advisory_xact_lock(hashtextextended('record_lines', 0))`;

/** Whether some row has not been looked at. */
export const FIND_FRESH = `
  SELECT EXISTS (SELECT 1 FROM ordered_delivery WHERE state IN ('new', 'ended')) AS "isFresh"`;

/** Whether everything that the stream had before is recorded, or has been waited for long enough. */
const isOpen = (row: string): string =>
  `(${row}.state <> 'new' OR ${row}.stream_sequence IS NULL OR ${row}.stream_sequence <= $1
      OR ${row}.arrived_at < now() - $2 * interval '1 millisecond')`;

/**
 * Looks at rows that have not been looked at: removes what has ended, and makes the first of each line that has no head its
 * head, due now. Of one line it reads a few rows, however many wait.
 * $1: sequence in the stream up to which every event is recorded, $2: milliseconds after which a new row no longer waits for
 * that, $3: rows to look at.
 */
export const APPOINT_HEADS = `
  WITH fresh AS MATERIALIZED (
    SELECT tenant_id, delivery_id, subscription_id, record_id, state FROM ordered_delivery
     WHERE state IN ('new', 'ended') AND ${isOpen('ordered_delivery')}
     ORDER BY arrived_at LIMIT $3),
  line AS MATERIALIZED (
    SELECT DISTINCT tenant_id, subscription_id, record_id FROM fresh),
  head AS MATERIALIZED (
    SELECT first.tenant_id, first.delivery_id, first.subscription_id, first.event_id, first.attempts
      FROM line CROSS JOIN LATERAL (
        SELECT * FROM ordered_delivery
         WHERE tenant_id = line.tenant_id AND subscription_id = line.subscription_id AND record_id = line.record_id
           AND state <> 'ended'
         ORDER BY record_version, event_id LIMIT 1) AS first
      -- With a limit, so that each line is looked up, however few heads there seem to be.
      LEFT JOIN LATERAL (
        SELECT delivery_id FROM ordered_delivery
         WHERE tenant_id = line.tenant_id AND subscription_id = line.subscription_id AND record_id = line.record_id
           AND state = 'head'
         LIMIT 1) AS present ON true
     WHERE present.delivery_id IS NULL AND ${isOpen('first')}),
  removed AS (
    DELETE FROM ordered_delivery AS old USING fresh
     WHERE old.tenant_id = fresh.tenant_id AND old.delivery_id = fresh.delivery_id
       AND fresh.state = 'ended' AND old.state = 'ended'),
  placed AS (
    UPDATE ordered_delivery AS row SET state = seen.state
      -- What is both is a head, which is the lower of the two words.
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

/** Lets the next in line follow heads, in the transaction that ends them. $1, $2: tenants and deliveries, in pairs. */
export const END_HEADS = `
  UPDATE ordered_delivery AS head SET state = 'ended'
    FROM unnest($1::uuid[], $2::uuid[]) AS settled (tenant_id, delivery_id)
   WHERE head.tenant_id = settled.tenant_id AND head.delivery_id = settled.delivery_id`;

/** Ends heads that are not due: whatever took them away has not let the next in line follow. */
const REPAIR_HEADS = `
  UPDATE ordered_delivery AS head SET state = 'ended'
   WHERE state = 'head'
     AND NOT EXISTS (SELECT 1 FROM due_delivery AS due
                      WHERE due.tenant_id = head.tenant_id AND due.delivery_id = head.delivery_id)
  RETURNING 1`;

/** A delivery that is the head of its line. */
export interface Head {
  readonly tenantId: string;
  readonly deliveryId: string;
}

/** What decides whether a new delivery may become a head. */
export interface Gate {
  /** Sequence in the stream up to which every event is recorded. */
  readonly recordedUpTo: number;
  /** Milliseconds after which a delivery no longer waits for those before it in the stream. */
  readonly longestMs: number;
}

export interface Appointed {
  /** Subscriptions that got something due. */
  readonly woken: number;
  /** Whether changes are left, because they wait for the stream or are more than the limit. */
  readonly isFresh: boolean;
}

/**
 * The lines of deliveries of one record to one subscription, in the order of the record's versions. Only the head of a line is
 * due, so that claims know nothing of order. Runs as the narrow role.
 */
@Injectable()
export class DeliveryOrderRepository {
  constructor(private readonly queues: SubscriptionQueueRepository) {}

  /**
   * Makes the first delivery of each changed line due, unless another one of the line is.
   * @param limit changes to look at
   */
  async appointHeads(tx: NarrowTransaction, { recordedUpTo, longestMs }: Gate, limit: number): Promise<Appointed> {
    tx.issue(LOCK_DELIVERY_ORDER, []);
    // Not prepared: the table grows from nothing within a second, and a plan for an empty one reads all of it for each line.
    const [queues, [fresh]] = await Promise.all([
      tx.query<SubscriptionQueue>(APPOINT_HEADS, [recordedUpTo, longestMs, limit]),
      tx.query<{ isFresh: boolean }>(FIND_FRESH),
    ]);
    if (queues.length > 0) {
      this.queues.wake(
        tx,
        queues.map((queue) => ({ ...queue, dueAt: null })),
      );
    }
    return { woken: queues.length, isFresh: fresh?.isFresh ?? false };
  }

  /**
   * Lets the next in line follow, in the transaction that ends the heads; only who held their claims may. Does not wait for the
   * server.
   */
  endHeads(tx: NarrowTransaction, heads: readonly Head[]): void {
    tx.issue(END_HEADS, [heads.map(({ tenantId }) => tenantId), heads.map(({ deliveryId }) => deliveryId)]);
  }

  /**
   * Lets the next in line follow heads that were taken away otherwise.
   * @returns how many there were
   */
  async repair(tx: NarrowTransaction): Promise<number> {
    return (await tx.query(REPAIR_HEADS)).length;
  }
}

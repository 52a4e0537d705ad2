import type { DeliveryStatus, EventName } from '@crm/contracts';
import { lowestIdOf, type TenantTransaction } from '@crm/database';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { DUE_AGAIN } from '../queue/due-again.js';
import { HoldRepository } from '../queue/hold.repository.js';
import { SubscriptionQueueRepository } from '../queue/subscription-queue.repository.js';
import type { Attempt, Delivery } from './delivery.js';
import type { TimeRange } from './time-range.js';

// The ledger within a tenant; what the pipeline writes is in recording.sql.ts. $1 is the tenant.

const COLUMNS = `id, event, event_id AS "eventId", subscription_id AS "subscriptionId", url, status, attempts,
         error_code AS "lastErrorCode", error_message AS "lastErrorMessage", http_status AS "lastHttpStatus",
         created_at AS "createdAt", next_attempt_at AS "nextAttemptAt", set_aside AS "isSetAside"`;

/**
 * Each filter has an index in whose order the list is, or the primary key. They are sent with their values and planned for
 * them, so that a filter that is null leaves nothing in the plan; a statement that is prepared would keep all of them.
 */
const MATCHES = `tenant_id = $1 AND ($2::text IS NULL OR status = $2) AND ($3::uuid IS NULL OR subscription_id = $3)
     AND ($4::text IS NULL OR event = $4) AND ($5::text IS NULL OR error_code = $5)
     AND ($6::uuid IS NULL OR id >= $6) AND ($7::uuid IS NULL OR id < $7)`;

/**
 * $2: status, $3: subscription, $4: name of the event, $5: code of the last error, $6: lowest id, $7: id that is too high,
 * $8: id of the last delivery of the page before; each null for any, $9: limit, $10: offset.
 */
export const LIST_DELIVERIES = `
  SELECT ${COLUMNS} FROM delivery
   WHERE ${MATCHES}
     AND ($8::uuid IS NULL OR id < $8)
   ORDER BY id DESC LIMIT $9 OFFSET $10`;

/** $2 to $7 as above, $8: where counting ends; null for never. */
export const COUNT_DELIVERIES = `
  SELECT count(*)::int AS count FROM (
    SELECT 1 FROM delivery
     WHERE ${MATCHES}
     LIMIT $8) AS matching`;

/** $2: id. */
export const FIND_DELIVERY = `
  SELECT ${COLUMNS} FROM delivery WHERE tenant_id = $1 AND id = $2`;

/** The last attempt stands with its delivery. $2: id of the delivery. */
export const LIST_ATTEMPTS = `
  SELECT number, at, http_status AS "httpStatus", error_code AS "errorCode", latency_ms AS "latencyMs",
         error_phase AS phase, response_excerpt AS "responseExcerpt"
    FROM delivery_attempt WHERE tenant_id = $1 AND delivery_id = $2
   UNION ALL
  SELECT attempts, attempted_at, http_status, error_code, latency_ms, error_phase, response_excerpt
    FROM delivery WHERE tenant_id = $1 AND id = $2 AND attempted_at IS NOT NULL
   ORDER BY number`;

/** Brings the next attempt of a delivery forward that waits for one. $2: id. */
export const HASTEN_DELIVERY = `
  UPDATE due_delivery SET due_at = now() WHERE tenant_id = $1 AND delivery_id = $2
  RETURNING false AS "wasHeld"`;

/**
 * Makes a delivery due that has ended or is held, and whose event is kept; a hold is locked. One of a record stands in line
 * again, by its version before those that wait. $2: id.
 */
export const REDELIVER = `
  WITH before AS MATERIALIZED (
    SELECT tenant_id, id, status FROM delivery
     WHERE tenant_id = $1 AND id = $2 AND status NOT IN ('pending', 'retrying')
       AND EXISTS (SELECT 1 FROM event_body WHERE tenant_id = $1 AND event_body.id = delivery.event_id)
       FOR UPDATE OF delivery),
  again AS (
    UPDATE delivery SET status = 'retrying', next_attempt_at = CASE WHEN record_id IS NULL THEN now() END, set_aside = false
      FROM before WHERE delivery.tenant_id = before.tenant_id AND delivery.id = before.id
    RETURNING delivery.tenant_id, delivery.id, subscription_id, event_id, attempts, next_attempt_at, record_id,
              record_version),${DUE_AGAIN}
  SELECT status = 'held' AS "wasHeld" FROM before`;

type DeliveryRow = Omit<Delivery, 'lastError'> & {
  readonly lastErrorCode: string | null;
  readonly lastErrorMessage: string | null;
  readonly lastHttpStatus: number | null;
};

/** Which deliveries of a tenant; null for any. */
export interface DeliveryFilter {
  readonly status: DeliveryStatus | null;
  readonly subscriptionId: string | null;
  readonly event: EventName | null;
  /** Of the last attempt. */
  readonly errorCode: string | null;
  /** When the event happened. */
  readonly time: TimeRange;
}

/** The ledger within a tenant. */
@Injectable()
export class DeliveryRepository {
  constructor(
    private readonly queues: SubscriptionQueueRepository,
    private readonly holds: HoldRepository,
  ) {}

  /** Newest first. */
  async page(tx: TenantTransaction, filter: DeliveryFilter, page: ListPage): Promise<Delivery[]> {
    const parameters = [...matching(tx, filter), page.after?.id ?? null, page.limit, page.offset];
    const rows = await tx.query<DeliveryRow>(LIST_DELIVERIES, parameters);
    return rows.map(toDelivery);
  }

  /** How many match, counting no further than `limit` when there is one. */
  async count(tx: TenantTransaction, filter: DeliveryFilter, limit: number | null): Promise<number> {
    const [row] = await tx.query<{ count: number }>(COUNT_DELIVERIES, [...matching(tx, filter), limit]);
    return row?.count ?? 0;
  }

  /** @returns null when there is none */
  async find(tx: TenantTransaction, id: string): Promise<Delivery | null> {
    const [row] = await tx.query<DeliveryRow>(FIND_DELIVERY, [tx.tenantId, id]);
    return row ? toDelivery(row) : null;
  }

  /** In the order in which they were made. */
  async listAttempts(tx: TenantTransaction, deliveryId: string): Promise<Attempt[]> {
    return tx.query<Attempt>(LIST_ATTEMPTS, [tx.tenantId, deliveryId]);
  }

  /**
   * Makes a delivery due now, whether it waits for its next attempt, is held or has ended.
   * @returns false when what it would send is no longer kept
   */
  async redeliver(tx: TenantTransaction, { id, subscriptionId }: Delivery): Promise<boolean> {
    this.holds.lock(tx, [{ tenantId: tx.tenantId, subscriptionId }]);
    const [row] = [
      ...(await tx.query<{ wasHeld: boolean }>(HASTEN_DELIVERY, [tx.tenantId, id])),
      ...(await tx.query<{ wasHeld: boolean }>(REDELIVER, [tx.tenantId, id])),
    ];
    if (!row) return false;
    if (row.wasHeld) this.holds.reduce(tx, subscriptionId, 1);
    this.queues.wake(tx, [{ tenantId: tx.tenantId, subscriptionId, dueAt: null }]);
    return true;
  }
}

/** The tenant and the filters, as the statements number them. The id of a delivery has the time of its event. */
function matching(tx: TenantTransaction, filter: DeliveryFilter): readonly (string | null)[] {
  const { status, subscriptionId, event, errorCode, time } = filter;
  const [lowest, end] = [time.fromMs, time.toMs].map((ms) => (ms === null ? null : lowestIdOf(ms)));
  return [tx.tenantId, status, subscriptionId, event, errorCode, lowest ?? null, end ?? null];
}

/** The status of a successful answer is no error's. */
const toDelivery = ({ lastErrorCode, lastErrorMessage, lastHttpStatus, ...delivery }: DeliveryRow): Delivery => ({
  ...delivery,
  lastError:
    lastErrorCode === null
      ? null
      : {
          code: lastErrorCode,
          message: lastErrorMessage ?? '',
          ...(lastHttpStatus === null ? {} : { httpStatus: lastHttpStatus }),
        },
});

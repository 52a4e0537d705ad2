// The ledger within a tenant; what the pipeline writes is in recording.sql.ts. $1 is the tenant.

const COLUMNS = `id, event, event_id AS "eventId", subscription_id AS "subscriptionId", url, status, attempts,
         error_code AS "lastErrorCode", error_message AS "lastErrorMessage", http_status AS "lastHttpStatus",
         created_at AS "createdAt", next_attempt_at AS "nextAttemptAt"`;

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

/** Makes a delivery due that has ended or is held, and whose event is kept; a hold is locked. $2: id. */
export const REDELIVER = `
  WITH before AS MATERIALIZED (
    SELECT tenant_id, id, status FROM delivery
     WHERE tenant_id = $1 AND id = $2 AND next_attempt_at IS NULL
       AND EXISTS (SELECT 1 FROM event_body WHERE tenant_id = $1 AND event_body.id = delivery.event_id)
       FOR UPDATE OF delivery),
  again AS (
    UPDATE delivery SET status = 'retrying', next_attempt_at = now() FROM before
     WHERE delivery.tenant_id = before.tenant_id AND delivery.id = before.id
    RETURNING delivery.tenant_id, delivery.id, subscription_id, event_id, attempts, next_attempt_at),
  inserted AS (
    INSERT INTO due_delivery (tenant_id, delivery_id, subscription_id, event_id, attempts, is_retry, due_at)
    SELECT tenant_id, id, subscription_id, event_id, attempts, true, next_attempt_at FROM again)
  SELECT status = 'held' AS "wasHeld" FROM before`;

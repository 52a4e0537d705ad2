// $1 is the tenant.

const COLUMNS = `id, event, event_id AS "eventId", subscription_id AS "subscriptionId", url, status, attempts,
         last_error_code AS "lastErrorCode", last_error_message AS "lastErrorMessage",
         last_http_status AS "lastHttpStatus", created_at AS "createdAt", next_attempt_at AS "nextAttemptAt"`;

/**
 * An event that arrives again makes no second delivery. The body is sent once for all copies.
 * $2: id of the event, $3: its name, $4: body, $5, $6, $7: ids, subscriptions and URLs, in threes.
 */
export const INSERT_DELIVERIES = `
  INSERT INTO delivery (tenant_id, id, subscription_id, event_id, event, url, body, status, next_attempt_at)
  SELECT $1, d.id, d.subscription_id, $2, $3, d.url, $4, 'pending', now()
    FROM unnest($5::uuid[], $6::uuid[], $7::text[]) AS d (id, subscription_id, url)
  ON CONFLICT (tenant_id, subscription_id, event_id) DO NOTHING`;

/** $2: id, $3: claim. */
export const FIND_DELIVERY_WORK = `
  SELECT event_id AS "eventId", url, body, attempts FROM delivery
   WHERE tenant_id = $1 AND id = $2 AND claim = $3 AND next_attempt_at IS NOT NULL`;

/** $2: id, $3: claim, $4: URL. */
export const READDRESS_DELIVERY = `
  UPDATE delivery SET url = $4 WHERE tenant_id = $1 AND id = $2 AND claim = $3`;

/**
 * $2: id, $3: claim, $4: status, $5: attempts made, $6: when the next one is due; null for a delivery that has ended,
 * $7, $8, $9: code, message and HTTP status of the error, $10: when the attempt was made.
 */
export const SETTLE_DELIVERY = `
  UPDATE delivery
     SET status = $4, attempts = $5, next_attempt_at = $6, claim = NULL, claimed_until = NULL,
         last_error_code = $7, last_error_message = $8, last_http_status = $9,
         completed_at = CASE WHEN $6::timestamptz IS NULL THEN $10::timestamptz END
   WHERE tenant_id = $1 AND id = $2 AND claim = $3 RETURNING id`;

/** $2: id of the delivery, $3: number, $4: time, $5: HTTP status, $6, $7: error, $8: latency, $9: beginning of the response. */
export const INSERT_ATTEMPT = `
  INSERT INTO delivery_attempt
    (tenant_id, delivery_id, number, at, http_status, error_code, error_message, latency_ms, response_excerpt)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

/** $2: id, $3: claim, $4, $5: code and message of the error. */
export const ABANDON_DELIVERY = `
  UPDATE delivery
     SET status = 'failed', next_attempt_at = NULL, claim = NULL, claimed_until = NULL,
         last_error_code = $4, last_error_message = $5, last_http_status = NULL, completed_at = now()
   WHERE tenant_id = $1 AND id = $2 AND claim = $3`;

/** $2: status, $3: subscription, $4: id of the last delivery of the page before; each null for any, $5: limit, $6: offset. */
export const LIST_DELIVERIES = `
  SELECT ${COLUMNS} FROM delivery
   WHERE tenant_id = $1 AND ($2::text IS NULL OR status = $2) AND ($3::uuid IS NULL OR subscription_id = $3)
     AND ($4::uuid IS NULL OR id < $4)
   ORDER BY id DESC LIMIT $5 OFFSET $6`;

/** $2: status, $3: subscription; each null for any, $4: where counting ends; null for never. */
export const COUNT_DELIVERIES = `
  SELECT count(*)::int AS count FROM (
    SELECT 1 FROM delivery
     WHERE tenant_id = $1 AND ($2::text IS NULL OR status = $2) AND ($3::uuid IS NULL OR subscription_id = $3)
     LIMIT $4) AS matching`;

/** $2: id. */
export const FIND_DELIVERY = `
  SELECT ${COLUMNS} FROM delivery WHERE tenant_id = $1 AND id = $2`;

/** $2: id of the delivery. */
export const LIST_ATTEMPTS = `
  SELECT at, http_status AS "httpStatus", error_code AS "errorCode", latency_ms AS "latencyMs",
         response_excerpt AS "responseExcerpt"
    FROM delivery_attempt WHERE tenant_id = $1 AND delivery_id = $2 ORDER BY number`;

/** $2: id. */
export const REDELIVER = `
  UPDATE delivery SET status = 'retrying', next_attempt_at = now(), completed_at = NULL
   WHERE tenant_id = $1 AND id = $2 AND next_attempt_at IS NULL RETURNING subscription_id AS "subscriptionId"`;

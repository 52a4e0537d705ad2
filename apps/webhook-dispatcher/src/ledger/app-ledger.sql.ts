// The ledger of an app over all tenants, for its developer; read as the narrow role. $1 is the key of the app.

/**
 * For the rest of the transaction. Statements are planned for their values, which the narrow role's otherwise are not: a
 * filter that is null then leaves nothing in the plan. $1: milliseconds after which a statement is ended.
 */
export const BOUND_READS = `
  SELECT set_config('plan_cache_mode', 'force_custom_plan', true), set_config('statement_timeout', $1, true)`;

/** Nothing of the tenant but the installation, and nothing of the event but its name and id. */
const COLUMNS = `id, event, event_id AS "eventId", installation_id AS "installationId", url, status, attempts,
         error_code AS "errorCode", error_message AS "errorMessage", http_status AS "httpStatus",
         latency_ms AS "latencyMs", created_at AS "createdAt", next_attempt_at AS "nextAttemptAt"`;

/** Each filter has an index in whose order the list is. */
const MATCHES = `app_key = $1 AND ($2::text IS NULL OR status = $2) AND ($3::text IS NULL OR event = $3)
     AND ($4::text IS NULL OR error_code = $4) AND ($5::uuid IS NULL OR id >= $5) AND ($6::uuid IS NULL OR id < $6)`;

/**
 * $2: status, $3: name of the event, $4: code of the last error, $5: lowest id, $6: id that is too high, $7: id of the last
 * delivery of the page before; each null for any, $8: limit, $9: offset.
 */
export const LIST_APP_DELIVERIES = `
  SELECT ${COLUMNS} FROM delivery
   WHERE ${MATCHES}
     AND ($7::uuid IS NULL OR id < $7)
   ORDER BY id DESC LIMIT $8 OFFSET $9`;

/** $2 to $6 as above, $7: where counting ends; null for never. */
export const COUNT_APP_DELIVERIES = `
  SELECT count(*)::int AS count FROM (
    SELECT 1 FROM delivery
     WHERE ${MATCHES}
     LIMIT $7) AS matching`;

/** $2: id. */
export const FIND_APP_DELIVERY = `
  SELECT ${COLUMNS} FROM delivery WHERE app_key = $1 AND id = $2`;

/** The last attempt stands with its delivery. $2: id of the delivery. */
export const LIST_APP_ATTEMPTS = `
  SELECT number, attempt.at, attempt.http_status AS "httpStatus", attempt.error_code AS "errorCode",
         attempt.error_phase AS phase, attempt.latency_ms AS "latencyMs", attempt.response_excerpt AS "responseExcerpt"
    FROM delivery JOIN delivery_attempt AS attempt
      ON attempt.tenant_id = delivery.tenant_id AND attempt.delivery_id = $2
   WHERE app_key = $1 AND id = $2
   UNION ALL
  SELECT attempts, attempted_at, http_status, error_code, error_phase, latency_ms, response_excerpt
    FROM delivery WHERE app_key = $1 AND id = $2 AND attempted_at IS NOT NULL
   ORDER BY number`;

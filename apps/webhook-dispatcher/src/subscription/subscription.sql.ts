// These statements run for each event or for each attempt; all others are TypeORM's. $1 is the tenant.

/** $2: the patterns that match the event. */
export const LIST_SUBSCRIPTIONS_FOR_EVENT = `
  SELECT id, app_key AS "appKey", url, filter FROM webhook_subscription
   WHERE tenant_id = $1 AND enabled AND events && $2 ORDER BY id`;

/** $2: id. */
export const FIND_RECEIVER = `
  SELECT url, enabled, app_key AS "appKey", secret, previous_secret AS "previousSecret",
         previous_secret_until AS "previousSecretUntil"
    FROM webhook_subscription WHERE tenant_id = $1 AND id = $2`;

/** $2: id, $3: when the attempt was made. */
export const MARK_FAILING = `
  UPDATE webhook_subscription SET failing_since = coalesce(failing_since, $3)
   WHERE tenant_id = $1 AND id = $2 RETURNING failing_since AS "failingSince"`;

/** $2: id. */
export const MARK_HEALTHY = `
  UPDATE webhook_subscription SET failing_since = NULL
   WHERE tenant_id = $1 AND id = $2 AND failing_since IS NOT NULL`;

/** A lock that TypeORM has no words for: of what does not exist yet. $1: the tenant. */
export const LOCK_SUBSCRIPTIONS = `
  SELECT pg_advisory_xact_lock(hashtextextended('webhook_subscriptions:' || $1::text, 0))`;

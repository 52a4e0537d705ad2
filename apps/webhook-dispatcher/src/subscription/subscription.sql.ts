// These statements run for each event or for each attempt; all others are TypeORM's. $1 is the tenant.

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

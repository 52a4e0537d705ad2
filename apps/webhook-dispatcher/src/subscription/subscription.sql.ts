// These statements run for each event or for each attempt; all others are TypeORM's. $1 is the tenant.

/** $2: id, $3: when the attempt was made. */
export const MARK_FAILING = `
  UPDATE webhook_subscription SET failing_since = coalesce(failing_since, $3)
   WHERE tenant_id = $1 AND id = $2 RETURNING failing_since AS "failingSince"`;

/** $2: id. */
export const MARK_HEALTHY = `
  UPDATE webhook_subscription SET failing_since = NULL
   WHERE tenant_id = $1 AND id = $2 AND failing_since IS NOT NULL`;

/**
 * $2: id, $3: milliseconds of its rate that are reserved, $4: how many milliseconds ahead of now the reserved may begin.
 * No row when the turns until then are others' already.
 */
export const RESERVE_TURNS = `
  UPDATE webhook_subscription
     SET rate_reserved_until = greatest(rate_reserved_until, now()) + $3 * interval '1 millisecond'
   WHERE tenant_id = $1 AND id = $2
     AND coalesce(rate_reserved_until <= now() + $4 * interval '1 millisecond', true)
  RETURNING (extract(epoch FROM rate_reserved_until - now()) * 1000)::float8 - $3 AS "beginsInMs"`;

/** A lock that TypeORM has no words for: of what does not exist yet. $1: the tenant. */
export const LOCK_SUBSCRIPTIONS = `
  SELECT pg_advisory_xact_lock(hashtextextended('webhook_subscriptions:' || $1::text, 0))`;

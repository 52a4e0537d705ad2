// These statements run for each event or for each attempt; all others are TypeORM's. $1 is the tenant.

/**
 * Counts again from the beginning when the last failure is too long ago. $2: id, $3: when the attempt was made, $4: how many
 * milliseconds are too long.
 */
export const MARK_FAILING = `
  UPDATE webhook_subscription AS known
     SET failing_since = CASE WHEN before.goes_on THEN known.failing_since ELSE $3::timestamptz END,
         failing_hours = CASE WHEN before.goes_on THEN known.failing_hours + before.is_new_hour::int ELSE 1 END,
         failed_at = greatest(known.failed_at, $3::timestamptz)
    FROM (SELECT id, coalesce(failed_at > $3::timestamptz - $4 * interval '1 millisecond', false) AS goes_on,
                 coalesce(date_trunc('hour', $3::timestamptz, 'UTC') > date_trunc('hour', failed_at, 'UTC'), true) AS is_new_hour
            FROM webhook_subscription WHERE tenant_id = $1 AND id = $2 FOR UPDATE) AS before
   WHERE known.tenant_id = $1 AND known.id = $2
  RETURNING known.failing_since AS "failingSince", known.failed_at AS "failedAt", known.failing_hours AS "failingHours"`;

/** $2: id. */
export const MARK_HEALTHY = `
  UPDATE webhook_subscription SET failing_since = NULL, failed_at = NULL, failing_hours = 0
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

/**
 * Uses one of a quota, in the window that the first use has begun. What is used beyond the limit is counted once only, so
 * that refused calls do not grow the number. $1: tenant, $2: name, $3: limit, $4: seconds of a window.
 */
export const TAKE_QUOTA = `
  INSERT INTO quota_use AS q (tenant_id, name, used, resets_at)
  VALUES ($1, $2, 1, now() + make_interval(secs => $4))
  ON CONFLICT (tenant_id, name) DO UPDATE SET
    used = CASE WHEN q.resets_at <= now() THEN 1 ELSE LEAST(q.used, $3::integer) + 1 END,
    resets_at = CASE WHEN q.resets_at <= now() THEN EXCLUDED.resets_at ELSE q.resets_at END
  RETURNING used, extract(epoch FROM resets_at - now())::float8 AS "resetSeconds"`;

/** No row while nothing is used. $1: tenant, $2: name. */
export const FIND_QUOTA_USE = `
  SELECT used, extract(epoch FROM resets_at - now())::float8 AS "resetSeconds" FROM quota_use
   WHERE tenant_id = $1 AND name = $2 AND resets_at > now()`;

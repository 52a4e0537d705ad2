/**
 * Opens a session; the user's expired ones go at the same time. $1: tenant, $2: session, $3: user, $4: address, $5: user agent,
 * $6: seconds after which it ends unless it is used, $7: seconds after which it ends for good.
 */
export const OPEN_SESSION = `
  WITH expired AS (DELETE FROM session WHERE tenant_id = $1 AND user_id = $3 AND expires_at < now())
  INSERT INTO session (tenant_id, id, user_id, address, user_agent, expires_at, ends_at, proven_at)
  VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => LEAST($6::float8, $7::float8)),
    now() + make_interval(secs => $7::float8), now())`;

/**
 * Dates the proof with which a session was opened, if it was made elsewhere: a clock that is ahead makes it no younger than the
 * session. $1: tenant, $2: session, $3: when it was made; null when nobody knows.
 */
export const DATE_PROOF = `
  UPDATE session SET proven_at = CASE WHEN $3::timestamptz IS NOT NULL THEN LEAST($3::timestamptz, now()) END
   WHERE tenant_id = $1 AND id = $2`;

/**
 * Notes a proof at an open session; an earlier one is not taken back by it. Gives no row for a session that ended. $1: tenant,
 * $2: user, $3: session, $4: when the proof was made; null when it was just made.
 */
export const NOTE_PROOF = `
  UPDATE session SET proven_at = GREATEST(proven_at, LEAST($4::timestamptz, now()))
   WHERE tenant_id = $1 AND user_id = $2 AND id = $3 AND expires_at > now()
  RETURNING id`;

/** $1: tenant, $2: user. */
export const DELETE_SESSIONS_OF_USER = 'DELETE FROM session WHERE tenant_id = $1 AND user_id = $2 RETURNING id';

/**
 * Notes where an open session was used and moves its end, at most to where it ends for good. Gives no row for one that ended.
 * $1: tenant, $2: session, $3: seconds after which it ends unless it is used, $4: address, $5: user agent.
 */
export const TOUCH_SESSION = `
  UPDATE session SET last_used_at = now(), last_address = $4, user_agent = COALESCE($5, user_agent),
    expires_at = LEAST(now() + make_interval(secs => $3), ends_at)
   WHERE tenant_id = $1 AND id = $2 AND expires_at > now()
  RETURNING floor(extract(epoch FROM expires_at - now()))::integer AS "remainingSeconds"`;

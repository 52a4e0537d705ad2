/**
 * Spends a token and stores its successor; gives no row when the token is not valid. Of two exchanges at once the second
 * waits for the first and finds the token spent.
 * $1: hash of the token presented, $2: hash of its successor, $3: seconds that the successor is valid.
 */
export const ROTATE_REFRESH_TOKEN = `
  WITH spent AS (
    UPDATE refresh_token SET rotated_at = now()
     WHERE token_hash = $1 AND rotated_at IS NULL AND expires_at > now() RETURNING session_id, tenant_id, user_id)
  INSERT INTO refresh_token (token_hash, session_id, tenant_id, user_id, expires_at)
  SELECT $2, session_id, tenant_id, user_id, now() + make_interval(secs => $3) FROM spent
  RETURNING session_id AS "sessionId", tenant_id AS "tenantId", user_id AS "userId"`;

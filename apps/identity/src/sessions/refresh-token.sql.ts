/** $1: hash of the token, $2: session, $3: tenant, $4: user, $5: seconds that it is valid. */
export const STORE_REFRESH_TOKEN = `
  INSERT INTO refresh_token (token_hash, session_id, tenant_id, user_id, expires_at)
  VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5))`;

/**
 * Spends a token and stores its successor; gives no row when the token is not valid. Of two exchanges at once the second
 * waits for the first and finds the token spent. The successor of an earlier token is forgotten: its client has it, because
 * it presents it here.
 * $1: hash of the token presented, $2: hash of its successor, $3: seconds that the successor is valid, $4: the successor,
 * sealed, $5: the platform's tenant, $6: whether the token must be an operator's.
 */
export const ROTATE_REFRESH_TOKEN = `
  WITH spent AS (
    UPDATE refresh_token SET rotated_at = now(), sealed_successor = $4
     WHERE token_hash = $1 AND rotated_at IS NULL AND expires_at > now() AND (tenant_id = $5) = $6
    RETURNING session_id, tenant_id, user_id),
  settled AS (
    UPDATE refresh_token AS earlier SET sealed_successor = NULL FROM spent
     WHERE earlier.session_id = spent.session_id AND earlier.sealed_successor IS NOT NULL AND earlier.token_hash <> $1)
  INSERT INTO refresh_token (token_hash, session_id, tenant_id, user_id, expires_at)
  SELECT $2, session_id, tenant_id, user_id, now() + make_interval(secs => $3) FROM spent
  RETURNING session_id AS "sessionId", tenant_id AS "tenantId", user_id AS "userId"`;

/**
 * A token that was spent. The successor comes with it for a few seconds, as long as nobody has presented the successor.
 * $1: hash of the token presented, $2: seconds in which the successor is given again, $3: the platform's tenant, $4: whether
 * the token must be an operator's.
 */
export const FIND_SPENT_REFRESH_TOKEN = `
  SELECT session_id AS "sessionId", tenant_id AS "tenantId", user_id AS "userId",
    CASE WHEN rotated_at > now() - make_interval(secs => $2) THEN sealed_successor END AS "sealedSuccessor"
    FROM refresh_token
   WHERE token_hash = $1 AND rotated_at IS NOT NULL AND (tenant_id = $3) = $4`;

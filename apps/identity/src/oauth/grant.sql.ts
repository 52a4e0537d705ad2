/** $1: tenant, $2: grant, $3: only if it is this user's, or null. */
export const DELETE_GRANT = `
  DELETE FROM oauth_grant WHERE tenant_id = $1 AND id = $2 AND ($3::uuid IS NULL OR user_id = $3)
  RETURNING user_id AS "userId", app_key AS "appKey", installation_id AS "installationId"`;

/** $1: tenant, $2: user. */
export const DELETE_GRANTS_OF_USER = 'DELETE FROM oauth_grant WHERE tenant_id = $1 AND user_id = $2 RETURNING id';

/** A code that is about to be exchanged, held until the transaction ends. $1: tenant, $2: code. */
export const LOCK_AUTHORIZATION_CODE = `
  SELECT code_hash AS "codeHash", installation_id AS "installationId", app_key AS "appKey", app_name AS "appName", publisher,
    user_id AS "userId", redirect_uri AS "redirectUri", scopes, code_challenge AS "codeChallenge",
    valid_until > now() AS "isValid", used_at IS NOT NULL AS "isUsed"
    FROM oauth_code WHERE tenant_id = $1 AND id = $2 FOR UPDATE`;

/**
 * A refresh token of a grant. The successor of a spent one comes with it for a few seconds, as long as nobody has presented the
 * successor. $1: tenant, $2: hash of the token, $3: grant, $4: seconds in which the successor is given again.
 */
export const FIND_GRANT_TOKEN = `
  SELECT rotated_at IS NOT NULL AS "isSpent",
    CASE WHEN rotated_at > now() - make_interval(secs => $4) THEN sealed_successor END AS "sealedSuccessor"
    FROM oauth_refresh_token
   WHERE tenant_id = $1 AND token_hash = $2 AND grant_id = $3 AND expires_at > now()`;

/**
 * Notes that a grant was used and moves its end, at most to where it ends for good. Gives no row for one that has ended.
 * $1: tenant, $2: grant, $3: seconds after which it ends unless it is used.
 */
export const TOUCH_GRANT = `
  UPDATE oauth_grant SET last_used_at = now(), expires_at = LEAST(now() + make_interval(secs => $3), ends_at)
   WHERE tenant_id = $1 AND id = $2 AND expires_at > now()
  RETURNING floor(extract(epoch FROM expires_at - now()))::integer AS "remainingSeconds"`;

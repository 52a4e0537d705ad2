/** Waits for a transaction that is claiming the same address. $1: address, $2: tenant, $3: user. */
export const CLAIM_EMAIL = `
  INSERT INTO sign_in_email (email, tenant_id, user_id) VALUES ($1, $2, $3)
  ON CONFLICT (email) DO NOTHING RETURNING email`;

/**
 * Who may sign in with an address: the user whom it belongs to, then the newest of those who registered with it in the last days and
 * have not verified it. $1: address, $2: days that a claim lives, $3: most claims.
 */
export const LIST_SIGN_IN_CANDIDATES = `
  (SELECT tenant_id AS "tenantId", user_id AS "userId", true AS "isHolder" FROM sign_in_email
    WHERE email = $1 AND reserved_until IS NULL)
  UNION ALL
  (SELECT tenant_id, user_id, false FROM email_claim
    WHERE email = $1 AND lost_at IS NULL AND created_at > now() - make_interval(days => $2::int)
    ORDER BY created_at DESC LIMIT $3::int)`;

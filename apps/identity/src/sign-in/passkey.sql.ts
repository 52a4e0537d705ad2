/** Spends a challenge; gives no row when it was spent before. $1: tenant, $2: challenge, $3: when it expires. */
export const SPEND_CHALLENGE = `
  INSERT INTO spent_passkey_challenge (tenant_id, id, expires_at) VALUES ($1, $2, $3)
  ON CONFLICT (tenant_id, id) DO NOTHING
  RETURNING id`;

/**
 * Notes a use; gives no row when the counter has not grown, so that of two uses with the same counter at once one is accepted.
 * An authenticator that does not count says 0 every time. $1: tenant, $2: passkey, $3: counter, $4: whether it is backed up.
 */
export const USE_PASSKEY = `
  UPDATE passkey SET counter = $3, backed_up = $4, last_used_at = now()
   WHERE tenant_id = $1 AND id = $2 AND (counter < $3 OR (counter = 0 AND $3 = 0))
  RETURNING id`;

/** $1: tenant, $2: user. */
export const FIND_ANY_PASSKEY = 'SELECT 1 FROM passkey WHERE tenant_id = $1 AND user_id = $2 LIMIT 1';

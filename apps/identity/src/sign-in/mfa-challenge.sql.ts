/** $1: tenant, $2: challenge, $3: tries that it has. */
export const TAKE_TRY = `
  UPDATE mfa_challenge SET attempts = attempts + 1
   WHERE tenant_id = $1 AND id = $2 AND attempts < $3 AND expires_at > now()
  RETURNING id`;

/** $1: tenant, $2: user. */
export const DELETE_PENDING_SIGN_INS = `
  WITH at_provider AS (DELETE FROM provider_sign_in WHERE tenant_id = $1 AND user_id = $2)
  DELETE FROM mfa_challenge WHERE tenant_id = $1 AND user_id = $2`;

/** Waits for a transaction that is claiming the same address. $1: address, $2: tenant, $3: user. */
export const CLAIM_EMAIL = `
  INSERT INTO sign_in_email (email, tenant_id, user_id) VALUES ($1, $2, $3)
  ON CONFLICT (email) DO NOTHING RETURNING email`;

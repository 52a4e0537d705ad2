/**
 * Gives no row when the app's credentials belong to another tenant.
 * $1: client id, $2: app key, $3: tenant, $4: hash of the secret, $5: origins, $6: scopes, $7: how users are linked.
 */
export const STORE_EMBED_CLIENT = `
  INSERT INTO embed_client AS c
    (client_id, app_key, tenant_id, secret_hash, allowed_origins, scopes, link_users_by)
  VALUES ($1, $2, $3, $4, $5, $6, $7)
  ON CONFLICT (app_key) DO UPDATE SET
    secret_hash = EXCLUDED.secret_hash, allowed_origins = EXCLUDED.allowed_origins, scopes = EXCLUDED.scopes,
    link_users_by = EXCLUDED.link_users_by, updated_at = now()
  WHERE c.tenant_id = EXCLUDED.tenant_id
  RETURNING client_id AS "clientId"`;

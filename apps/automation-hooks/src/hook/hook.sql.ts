/**
 * Stores a hook, or replaces the secret of the hook that the workflow has. Returns no row when that hook belongs to another
 * tenant. $1: workflow, $2: tenant, $3: hash of the secret.
 */
export const STORE_HOOK = `
  INSERT INTO hook (workflow_id, tenant_id, secret_hash) VALUES ($1, $2, $3)
  ON CONFLICT (workflow_id) DO UPDATE SET secret_hash = EXCLUDED.secret_hash
    WHERE hook.tenant_id = EXCLUDED.tenant_id
  RETURNING workflow_id`;

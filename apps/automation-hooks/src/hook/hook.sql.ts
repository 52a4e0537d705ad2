/**
 * Stores a hook, or replaces the secrets of the hook that the workflow has had. Returns no row when that hook belongs to another
 * tenant. $1: workflow, $2: tenant, $3: hash of the secret.
 */
export const STORE_HOOK = `
  INSERT INTO hook (workflow_id, tenant_id, secret_hash) VALUES ($1, $2, $3)
  ON CONFLICT (workflow_id) DO UPDATE SET
    secret_hash = EXCLUDED.secret_hash, secret_created_at = now(), secret_last_used_at = NULL,
    previous_secret_hash = NULL, previous_secret_created_at = NULL, previous_secret_last_used_at = NULL,
    previous_valid_until = NULL
    WHERE hook.tenant_id = EXCLUDED.tenant_id
  RETURNING workflow_id`;

/**
 * Replaces the secret of a hook, where calls are recognised and where administrators are shown it. The one that is replaced stays
 * valid for a time; what it had replaced itself ends. No row for a workflow without a hook.
 * $1: workflow, $2: tenant, $3: hash of the secret, $4: the sealed secret, $5: seconds for which the previous secret is valid.
 */
export const ROTATE_HOOK_SECRET = `
  WITH shown AS (
    UPDATE hook_secret SET sealed = $4 WHERE tenant_id = $2 AND workflow_id = $1 RETURNING workflow_id)
  UPDATE hook SET
    previous_secret_hash = CASE WHEN $5::float8 > 0 THEN hook.secret_hash END,
    previous_secret_created_at = CASE WHEN $5::float8 > 0 THEN hook.secret_created_at END,
    previous_secret_last_used_at = CASE WHEN $5::float8 > 0 THEN hook.secret_last_used_at END,
    previous_valid_until = CASE WHEN $5::float8 > 0 THEN now() + make_interval(secs => $5::float8) END,
    secret_hash = $3, secret_created_at = now(), secret_last_used_at = NULL
    FROM shown WHERE hook.workflow_id = shown.workflow_id AND hook.tenant_id = $2
  RETURNING hook.previous_valid_until AS "previousValidUntil"`;

/** Ends the secret before the present one; no row when none is valid. $1: workflow, $2: tenant. */
export const END_PREVIOUS_HOOK_SECRET = `
  UPDATE hook SET previous_secret_hash = NULL, previous_valid_until = now()
   WHERE workflow_id = $1 AND tenant_id = $2 AND previous_valid_until > now()
  RETURNING workflow_id`;

/**
 * Notes when and where a key was used, unless that was noted in the last five minutes: of many uses nearly all write nothing.
 * $1: tenant, $2: key, $3: address.
 */
export const NOTE_API_KEY_USE = `
  UPDATE api_key SET last_used_at = now(), last_address = $3
   WHERE tenant_id = $1 AND id = $2 AND (last_used_at < now() - interval '5 minutes') IS NOT FALSE`;

/** $1: tenant, $2: the user or the service account. */
export const DELETE_API_KEYS_OF_OWNER = 'DELETE FROM api_key WHERE tenant_id = $1 AND owner_id = $2 RETURNING id';

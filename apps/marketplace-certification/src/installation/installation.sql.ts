/**
 * Adds an installation unless the app has a live one: `installation_live` allows one, whatever two administrators request
 * at the same moment. $1: tenant, $2: id, $3: key of the app, $4: id of the version, $5: version, $6: whether it is a
 * sandbox, $7: granted scopes, $8: user.
 */
export const ADD_INSTALLATION = `
  INSERT INTO installation
    (tenant_id, id, app_key, version_id, version, sandbox, state, granted_scopes, created_by, acting_user_id)
  VALUES ($1, $2, $3, $4, $5, $6, 'installing', $7, $8, $8)
  ON CONFLICT (tenant_id, app_key)
    WHERE NOT sandbox AND state IN ('installing', 'active', 'compensating', 'uninstalling') DO NOTHING
  RETURNING id`;

/** $1: tenant, $2: states, $3: count at most so many; null for all. */
export const COUNT_INSTALLATIONS = `
  SELECT count(*)::int AS counted
    FROM (SELECT 1 FROM installation WHERE tenant_id = $1 AND state = ANY ($2::text[]) LIMIT $3) AS matching`;

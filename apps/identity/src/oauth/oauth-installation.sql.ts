/**
 * Registers an installation or renews what is known of it. Gives no row for one that has ended or is another tenant's.
 * $1: installation, $2: tenant, $3: client id for a new one, $4: app key, $5: its name, $6: publisher, $7: whether it is a
 * sandbox, $8: scopes, $9: redirect URIs, $10: those of the scopes that users cannot leave out.
 */
export const REGISTER_OAUTH_INSTALLATION = `
  INSERT INTO oauth_installation AS i
    (installation_id, tenant_id, client_id, app_key, app_name, publisher, sandbox, scopes, redirect_uris,
     required_scopes)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
  ON CONFLICT (installation_id) DO UPDATE SET
    app_name = EXCLUDED.app_name, publisher = EXCLUDED.publisher, scopes = EXCLUDED.scopes,
    redirect_uris = EXCLUDED.redirect_uris, required_scopes = EXCLUDED.required_scopes, updated_at = now()
  WHERE i.tenant_id = EXCLUDED.tenant_id AND i.app_key = EXCLUDED.app_key AND i.ended_at IS NULL
  RETURNING client_id AS "clientId"`;

/**
 * Ends an installation for good; one that is not known is noted as ended. Says whether there were credentials to end, which is
 * read, and the row held, before it is changed.
 * $1: installation, $2: tenant, $3: client id for an unknown one, $4: app key.
 */
export const END_OAUTH_INSTALLATION = `
  WITH before AS (
    SELECT secret_hash IS NOT NULL AS had_secret
      FROM oauth_installation WHERE installation_id = $1 AND tenant_id = $2 FOR UPDATE)
  INSERT INTO oauth_installation AS i
    (installation_id, tenant_id, client_id, app_key, app_name, publisher, sandbox, scopes, redirect_uris, ended_at)
  SELECT $1, $2, $3, $4, '', '', false, '{}', '{}', now() FROM (VALUES (1)) AS one LEFT JOIN before ON true
  ON CONFLICT (installation_id) DO UPDATE SET
    ended_at = COALESCE(i.ended_at, now()), secret_hash = NULL, previous_secret_hash = NULL, updated_at = now()
  WHERE i.tenant_id = EXCLUDED.tenant_id
  RETURNING COALESCE((SELECT had_secret FROM before), false) AS "hadSecret"`;

/**
 * Replaces the secret. The one that is replaced stays valid for a time; what it had replaced itself ends.
 * $1: tenant, $2: installation, $3: hash of the secret, $4: seconds for which the previous secret is valid.
 */
export const ROTATE_OAUTH_SECRET = `
  UPDATE oauth_installation AS i SET
    previous_secret_hash = CASE WHEN $4::float8 > 0 THEN i.secret_hash END,
    previous_secret_created_at = CASE WHEN $4::float8 > 0 THEN i.secret_created_at END,
    previous_secret_last_used_at = CASE WHEN $4::float8 > 0 THEN i.secret_last_used_at END,
    previous_valid_until =
      CASE WHEN $4::float8 > 0 AND i.secret_hash IS NOT NULL THEN now() + make_interval(secs => $4::float8) END,
    secret_hash = $3, secret_created_at = now(), secret_last_used_at = NULL, updated_at = now()
   WHERE i.tenant_id = $1 AND i.installation_id = $2 AND i.ended_at IS NULL
  RETURNING client_id AS "clientId", previous_valid_until AS "previousValidUntil"`;

/**
 * What a token call with credentials is decided on, in one statement (migrations/1795800000101-oauth.ts). No row for
 * credentials that are not valid. $1: client id, $2: hash of the secret.
 */
export const READ_OAUTH_CLIENT = `
  SELECT installation_id AS "installationId", tenant_id AS "tenantId", app_key AS "appKey", scopes,
    matched_hash AS "matchedHash"
  FROM read_oauth_client($1, $2)`;

/** What tokens for users of an installation are decided on; no row for one that has ended. $1: tenant, $2: installation. */
export const READ_OAUTH_INSTALLATION = `
  SELECT i.app_key AS "appKey", i.scopes, COALESCE(a.status, 'active') AS "status"
    FROM oauth_installation i LEFT JOIN oauth_app a ON a.app_key = i.app_key
   WHERE i.installation_id = $2 AND i.tenant_id = $1 AND i.ended_at IS NULL`;

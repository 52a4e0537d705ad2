/**
 * All that a mint needs to know, in one statement (migrations/1795700000301-verification.ts). No row for an unknown client and
 * a wrong secret; no user for a `sub` that is not known.
 * $1: client id, $2: hash of the secret, $3: sub, $4: normalised address.
 */
export const READ_EMBED_MINT = `
  SELECT app_key AS "appKey", tenant_id AS "tenantId", secret_hash AS "secretHash",
    previous_secret_hash AS "previousSecretHash", allowed_origins AS "allowedOrigins", scopes,
    link_users_by AS "linkUsersBy", user_id AS "userId", user_email AS "userEmail", user_roles AS "userRoles",
    user_status AS "userStatus", undone, belongs_elsewhere AS "belongsElsewhere", conflicts,
    conflicts_reset_seconds AS "conflictsResetSeconds"
  FROM read_embed_mint($1, $2, $3, $4)`;

/**
 * The same for many mints, of those that are plain: no row for any other (migrations/1795800000001-known-mints.ts).
 * $1: client ids, $2: hashes of the secrets, $3: subs, $4: normalised addresses. `position` counts from 1.
 */
export const READ_KNOWN_EMBED_MINTS = `
  SELECT position::int AS position, app_key AS "appKey", tenant_id AS "tenantId", secret_hash AS "secretHash",
    NULL::bytea AS "previousSecretHash", allowed_origins AS "allowedOrigins", scopes, link_users_by AS "linkUsersBy",
    user_id AS "userId", user_email AS "userEmail", user_roles AS "userRoles", user_status AS "userStatus", undone,
    belongs_elsewhere AS "belongsElsewhere", NULL::int AS conflicts, NULL::float8 AS "conflictsResetSeconds"
  FROM read_known_embed_mints($1, $2, $3, $4)`;

import { TENANT_OF_STATEMENT } from '@crm/database';

/** A user whose password is to be checked, by itself in one round trip. $1: tenant, $2: user. */
export const READ_SIGN_IN_USER = `
  SELECT u.* FROM ${TENANT_OF_STATEMENT}, LATERAL (
    SELECT tenant_id AS "tenantId", id, email, roles, status, password_hash AS "passwordHash", mfa_enabled AS "mfaEnabled",
        sign_in_epoch AS "signInEpoch"
      FROM app_user WHERE tenant_id = $1::uuid AND id = $2::uuid AND tenant.id IS NOT NULL OFFSET 0) AS u`;

/**
 * Who is told what concerns a workspace: its active administrators. When there are too many, one of
 * them who is named comes first, then owners, then those who came first. Their rows are held in the order in which changes of
 * users take them, owners first, so that nobody who is being erased gets a mail that the erasure does not see.
 * $1: tenant, $2: the user who is named, or null, $3: limit.
 */
export const HOLD_ADMINISTRATORS_TO_TELL = `
  WITH told AS MATERIALIZED (
    SELECT id FROM app_user
     WHERE tenant_id = $1 AND status = 'active' AND roles && ARRAY['owner', 'admin']
     ORDER BY (id = $2) IS TRUE DESC, roles @> ARRAY['owner'] DESC, id LIMIT $3)
  SELECT u.id, u.email, u.name FROM told JOIN app_user u ON u.tenant_id = $1 AND u.id = told.id
   WHERE u.status = 'active' AND u.roles && ARRAY['owner', 'admin']
   ORDER BY u.roles @> ARRAY['owner'] DESC, u.id FOR KEY SHARE OF u`;

/**
 * The rights of a user, who stays as they are until the transaction ends. $1: tenant, $2: user, $3: the epoch in which they proved
 * who they are, after which there is no row; null where nothing was proven.
 */
export const LOCK_USER_FOR_ISSUE = `
  SELECT tenant_id AS "tenantId", id, email, name, roles, status FROM app_user
   WHERE tenant_id = $1 AND id = $2 AND ($3::integer IS NULL OR sign_in_epoch = $3::integer) FOR SHARE`;

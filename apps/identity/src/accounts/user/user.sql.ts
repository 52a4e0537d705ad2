import { TENANT_OF_STATEMENT } from '@crm/database';

/** A user whose password is to be checked, by itself in one round trip. $1: tenant, $2: user. */
export const READ_SIGN_IN_USER = `
  SELECT u.* FROM ${TENANT_OF_STATEMENT}, LATERAL (
    SELECT tenant_id AS "tenantId", id, email, roles, status, password_hash AS "passwordHash", mfa_enabled AS "mfaEnabled",
        sign_in_epoch AS "signInEpoch"
      FROM app_user WHERE tenant_id = $1::uuid AND id = $2::uuid AND tenant.id IS NOT NULL OFFSET 0) AS u`;

/**
 * The rights of a user, who stays as they are until the transaction ends. $1: tenant, $2: user, $3: the epoch in which they proved
 * who they are, after which there is no row; null where nothing was proven.
 */
export const LOCK_USER_FOR_ISSUE = `
  SELECT tenant_id AS "tenantId", id, email, name, roles, status FROM app_user
   WHERE tenant_id = $1 AND id = $2 AND ($3::integer IS NULL OR sign_in_epoch = $3::integer) FOR SHARE`;

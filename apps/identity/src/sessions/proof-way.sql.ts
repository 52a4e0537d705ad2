/**
 * By what a user, or an operator in the platform's tenant, can prove who they are within a session. A provider counts where they
 * have signed in before and, if the account has a second factor, where it can say that it has asked for one.
 * $1: tenant, $2: user or operator.
 */
export const READ_PROOF_WAYS = `
  SELECT
    EXISTS (SELECT 1 FROM passkey WHERE tenant_id = $1 AND user_id = $2) AS passkey,
    EXISTS (SELECT 1 FROM authenticator
             WHERE tenant_id = $1 AND user_id = $2 AND confirmed_at IS NOT NULL) AS authenticator,
    EXISTS (SELECT 1 FROM app_user WHERE tenant_id = $1 AND id = $2 AND password_hash IS NOT NULL)
      OR EXISTS (SELECT 1 FROM operator WHERE tenant_id = $1 AND id = $2) AS password,
    EXISTS (SELECT 1 FROM provider_link l
              JOIN identity_provider p ON p.tenant_id = l.tenant_id AND p.issuer = l.issuer
              JOIN app_user u ON u.tenant_id = l.tenant_id AND u.id = l.user_id
             WHERE l.tenant_id = $1 AND l.user_id = $2 AND p.enabled
               AND (NOT u.mfa_enabled OR cardinality(p.second_factor_values) > 0)) AS "identityProvider"`;

/**
 * Ends what people and apps that act for them are signed in with, and what would sign them in. API keys and credentials of
 * programs stay: they are refused while the workspace is suspended. $1: tenant.
 */
export const END_SIGN_INS_OF_TENANT = `
  WITH at_provider AS (DELETE FROM provider_sign_in WHERE tenant_id = $1),
  challenged AS (DELETE FROM mfa_challenge WHERE tenant_id = $1),
  authorized AS (DELETE FROM oauth_code WHERE tenant_id = $1),
  granted AS (DELETE FROM oauth_grant WHERE tenant_id = $1 RETURNING 1),
  signed_in AS (DELETE FROM session WHERE tenant_id = $1 RETURNING 1)
  SELECT (SELECT count(*)::int FROM signed_in) AS sessions, (SELECT count(*)::int FROM granted) AS grants`;

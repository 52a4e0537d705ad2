/** The address of an account: of a user, or of an operator in the platform's tenant. $1: tenant, $2: account. */
export const FIND_ACCOUNT_EMAIL = `
  SELECT email FROM app_user WHERE tenant_id = $1 AND id = $2
  UNION ALL
  SELECT email FROM operator WHERE tenant_id = $1 AND id = $2`;

/** $1: tenant. */
export const READ_SIGN_IN_POLICY = `
  SELECT second_factor AS "secondFactor", single_sign_on AS "singleSignOn" FROM sign_in_policy WHERE tenant_id = $1`;

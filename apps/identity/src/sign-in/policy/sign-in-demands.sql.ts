/** All that a workspace demands of a sign-in. $1: tenant. */
export const READ_SIGN_IN_DEMANDS = `
  SELECT second_factor AS "secondFactor", single_sign_on AS "singleSignOn" FROM sign_in_policy WHERE tenant_id = $1`;

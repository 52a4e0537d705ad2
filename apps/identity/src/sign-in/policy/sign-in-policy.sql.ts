/** $1: tenant. */
export const READ_SECOND_FACTOR_POLICY =
  'SELECT second_factor AS "secondFactor" FROM sign_in_policy WHERE tenant_id = $1';

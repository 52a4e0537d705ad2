/** $1: tenant, $2: user. */
export const DELETE_SESSIONS_OF_USER = 'DELETE FROM session WHERE tenant_id = $1 AND user_id = $2 RETURNING id';

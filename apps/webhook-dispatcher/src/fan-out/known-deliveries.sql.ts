/** $1: the tenant, $2: ids of deliveries. */
export const FIND_KNOWN_DELIVERY = `
  SELECT 1 AS known FROM delivery WHERE tenant_id = $1 AND id = ANY ($2::uuid[]) LIMIT 1`;

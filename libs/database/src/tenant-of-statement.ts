/**
 * What a statement for `Database.read` begins its FROM with: a row `tenant` that sets the tenant for the rest of the
 * statement. What reads tenants' rows stands in `LATERAL (… WHERE tenant_id = $1::uuid AND tenant.id IS NOT NULL … OFFSET 0)`:
 * it depends on this row and is executed after it, when the policies of row-level security find the tenant; executed before,
 * it would find none and no row.
 */
export const TENANT_OF_STATEMENT =
  "(SELECT set_config('app.tenant_id', $1::text, true)::uuid AS id OFFSET 0) AS tenant";

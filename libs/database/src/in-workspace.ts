import type { Database } from './database.js';
import type { NarrowTransaction } from './transaction.js';

/**
 * Runs the work as the narrow role in the context of one tenant: besides the global tables it reaches this tenant's rows
 * of the tables it was granted, through the policy that binds everybody, and no others. For changes that must write both
 * or nothing, such as a user and the address that signs in as them.
 * @param tenantId UUID of the tenant
 */
export function inWorkspace<T>(
  database: Database,
  tenantId: string,
  work: (tx: NarrowTransaction) => Promise<T>,
): Promise<T> {
  return database.crossTenant(async (tx) => {
    await tx.query("SELECT set_config('app.tenant_id', $1, true)", [tenantId]);
    return work(tx);
  });
}

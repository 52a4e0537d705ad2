import type { Database } from './database.js';
import type { NarrowTransaction } from './transaction.js';

/**
 * Runs the work as the narrow role in the context of one tenant. In addition to global tables it can access this tenant's
 * rows, and no others, in tables granted to it, through the policy for all roles. For changes that must write both or
 * neither, such as a user and their sign-in address.
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

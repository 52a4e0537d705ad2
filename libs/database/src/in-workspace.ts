import type { Database } from './database.js';
import { type NarrowTransaction, originOf, type TransactionOrigin } from './transaction.js';

/**
 * Runs the work as the narrow role in the context of one tenant. In addition to global tables it can access this tenant's
 * rows, and no others, in tables granted to it, through the policy for all roles. For changes that must write both or
 * neither, such as a user and their sign-in address.
 * @param tenant UUID of the tenant, or the principal for whom the work is done
 */
export function inWorkspace<T>(
  database: Database,
  tenant: string | TransactionOrigin,
  work: (tx: NarrowTransaction) => Promise<T>,
): Promise<T> {
  const origin = originOf(tenant);
  return database.crossTenant(async (tx) => {
    tx.origin = origin;
    await tx.query("SELECT set_config('app.tenant_id', $1, true)", [origin.tenantId]);
    return work(tx);
  });
}

import type { Database, NarrowTransaction, TenantTransaction } from '@crm/database';
import type { SealedColumn } from './sealed-column.js';
import { tenantsOf } from './sealed-column.sql.js';

const TENANTS_AT_A_TIME = 500;

/** Runs a transaction that sees some of the rows of a column: those of one tenant, or all of a global table. */
export type RowAccess = {
  /** Empty in a global table. */
  readonly tenantId: string;
  run<T>(work: (tx: TenantTransaction | NarrowTransaction) => Promise<T>): Promise<T>;
};

/** The ways to all rows of a column, one tenant after the other, as the policies of the database want it. */
export async function* accessesTo(database: Database, column: SealedColumn): AsyncGenerator<RowAccess> {
  if (column.reach === 'global') {
    yield { tenantId: '', run: (work) => database.crossTenant(work) };
    return;
  }
  let tenants: { tenantId: string }[] = [];
  do {
    const after = tenants.at(-1)?.tenantId ?? null;
    tenants = await database.crossTenant((tx) => tx.query(tenantsOf(column), [after, TENANTS_AT_A_TIME]));
    for (const { tenantId } of tenants) {
      yield { tenantId, run: (work) => database.transaction(tenantId, work) };
    }
  } while (tenants.length === TENANTS_AT_A_TIME);
}

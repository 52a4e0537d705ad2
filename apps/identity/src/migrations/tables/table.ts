import { DATABASES } from '@crm/contracts';
import { createTenantTable, type TenantTable } from '@crm/database';
import type { QueryRunner } from 'typeorm';

export const roles = DATABASES.identity;

export interface IdentityTable extends TenantTable {
  /** SQL of what the narrow role may do besides: it gets no policy for this, so the policy of the tenant binds it. */
  narrowInContext?: string;
}

export async function createTenantTables(runner: QueryRunner, tables: readonly IdentityTable[]): Promise<void> {
  for (const { narrowInContext, ...table } of tables) {
    await createTenantTable(runner, roles, table);
    if (narrowInContext) await runner.query(`GRANT ${narrowInContext} ON ${table.name} TO ${roles.narrowRole}`);
  }
}

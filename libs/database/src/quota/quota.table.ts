import type { ServiceDatabase } from '@crm/contracts';
import type { QueryRunner } from 'typeorm';
import { createTenantTable } from '../migrations/tables.js';

/**
 * Creates the table `quota_use`: how much of each of its quotas a tenant has used in the present window.
 * @param options.narrowTakes for services that take quotas as the narrow role, in the context of a tenant (`inWorkspace`)
 * @param options.narrowReads for services that show the use of every tenant, such as to operators
 */
export async function createQuotaTable(
  runner: QueryRunner,
  roles: ServiceDatabase,
  options: { narrowTakes?: boolean; narrowReads?: boolean } = {},
): Promise<void> {
  await createTenantTable(runner, roles, {
    name: 'quota_use',
    columns: `
      name text NOT NULL,
      used integer NOT NULL,
      resets_at timestamptz NOT NULL`,
    primaryKey: ['name'],
    grants: ['select', 'insert', 'update'],
    narrow: options.narrowReads ? ['select'] : [],
  });
  // No separate policy: like every role, the narrow role writes rows of the tenant in context only.
  if (options.narrowTakes) await runner.query(`GRANT SELECT, INSERT, UPDATE ON quota_use TO ${roles.narrowRole}`);
}

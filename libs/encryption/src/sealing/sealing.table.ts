import type { ServiceDatabase } from '@crm/contracts';
import { createGlobalTable } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/** Creates the table `encryption_key`: which keys have sealed in this database. It is listed in GLOBAL_TABLES. */
export async function createEncryptionKeyTable(runner: QueryRunner, roles: ServiceDatabase): Promise<void> {
  await createGlobalTable(runner, roles, {
    name: 'encryption_key',
    // The empty id is that of a key without a name.
    columns: 'id text NOT NULL, check_box bytea NOT NULL, registered_at timestamptz NOT NULL DEFAULT now()',
    primaryKey: ['id'],
    role: 'narrow',
    grants: ['select', 'insert', 'delete'],
  });
}

/**
 * Lets the narrow role find out which tenants have rows in a table, so that a program can go through them one by one. It sees
 * nothing else of the rows.
 * @param table a tenant table on which the narrow role has no right to select
 */
export async function letNarrowRoleFindTenants(
  runner: QueryRunner,
  { narrowRole }: ServiceDatabase,
  table: string,
): Promise<void> {
  await runner.query(`GRANT SELECT (tenant_id) ON ${table} TO ${narrowRole}`);
  await runner.query(`CREATE POLICY narrow_select ON ${table} FOR select TO ${narrowRole} USING (true)`);
}

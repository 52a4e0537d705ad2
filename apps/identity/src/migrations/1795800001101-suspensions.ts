import { DATABASES } from '@crm/contracts';
import { createTenantTable, ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

const roles = DATABASES.identity;

const WITH_SUSPENSIONS = "'user', 'session', 'app', 'tenant', 'installation', 'suspension', 'reinstatement'";

/**
 * What operators decided about a workspace as a whole: one row for each that was ever suspended. It stays after the
 * reinstatement, so that the next decision is dated later than the last. The narrow role lists the suspended ones.
 */
export class Suspensions1795800001101 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createTenantTable(runner, roles, {
      name: 'tenant_suspension',
      primaryKey: [],
      columns: `
        name text NOT NULL,
        reason text NOT NULL,
        suspended_at timestamptz NOT NULL,
        reinstated_at timestamptz`,
      indexes: [{ columns: 'suspended_at, tenant_id', where: 'reinstated_at IS NULL', tenantFirst: false }],
      narrow: ['select'],
      grants: ['select', 'insert', 'update'],
    });
    await runner.query(`
      ALTER TABLE pending_cutoff
        DROP CONSTRAINT pending_cutoff_kind_check,
        ADD CONSTRAINT pending_cutoff_kind_check CHECK (kind IN (${WITH_SUSPENSIONS}))`);
    await runner.query(`
      ALTER TABLE revocation_cutoff
        DROP CONSTRAINT revocation_cutoff_kind_check,
        ADD CONSTRAINT revocation_cutoff_kind_check CHECK (kind IN (${WITH_SUSPENSIONS}, 'signing_key'))`);
  }
}

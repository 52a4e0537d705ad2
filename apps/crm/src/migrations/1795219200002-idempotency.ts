import { DATABASES } from '@crm/contracts';
import { createTenantTable, ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/** Which record a creating call made, so that the same call again finds it. No body and no answer is kept. */
export class Idempotency1795219200002 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createTenantTable(runner, DATABASES.crm, {
      name: 'idempotency',
      columns: `
        principal_id text NOT NULL,
        route text NOT NULL,
        key text NOT NULL,
        body_hash bytea NOT NULL,
        record_id uuid NOT NULL,
        expires_at timestamptz NOT NULL`,
      primaryKey: ['principal_id', 'route', 'key'],
      indexes: [{ columns: 'expires_at', tenantFirst: false }],
      grants: ['select', 'insert', 'update'],
      // Expired rows of every tenant are swept.
      narrow: ['select', 'delete'],
    });
  }
}

import { DATABASES } from '@crm/contracts';
import { createTenantTable, ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/** What administrators let apps do with the objects of other apps. */
export class ObjectShares1795300000002 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createTenantTable(runner, DATABASES['custom-objects'], {
      name: 'custom_object_share',
      columns: `
        object_id uuid NOT NULL,
        app_key text NOT NULL,
        access text NOT NULL CHECK (access IN ('read', 'write'))`,
      primaryKey: ['object_id', 'app_key'],
      references: [{ columns: ['object_id'], table: 'custom_object', onDelete: 'cascade' }],
    });
  }
}

import { DATABASES } from '@crm/contracts';
import { createTenantTable, ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/** What is deleted says by whom and along with what, and which references its deletion cleared: both are undone together. */
export class Bin1795500001760 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE custom_record ADD COLUMN deleted_by uuid, ADD COLUMN deleted_with uuid');
    await runner.query(
      'CREATE INDEX custom_record_bin ON custom_record (tenant_id, object_id, deleted_at, id) WHERE deleted_at IS NOT NULL',
    );
    await runner.query(
      'CREATE INDEX custom_record_along ON custom_record (tenant_id, deleted_with) WHERE deleted_with IS NOT NULL',
    );
    await createTenantTable(runner, DATABASES['custom-objects'], {
      name: 'cleared_reference',
      columns: `
        target_id uuid NOT NULL,
        object_id uuid NOT NULL,
        record_id uuid NOT NULL,
        field_key integer NOT NULL,
        cleared_at timestamptz NOT NULL`,
      primaryKey: ['target_id', 'object_id', 'record_id', 'field_key'],
      indexes: [{ columns: 'cleared_at', tenantFirst: false }],
      narrow: ['select', 'delete'],
    });
  }
}

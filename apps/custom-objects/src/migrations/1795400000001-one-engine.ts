import { DATABASES } from '@crm/contracts';
import { createTenantTable, ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/** Short keys for values, and which record refers to which, so that what refers to a deleted record is found by its id. */
export class OneEngine1795400000001 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE custom_field ADD COLUMN key integer NOT NULL');
    await createTenantTable(runner, DATABASES['custom-objects'], {
      name: 'record_reference',
      columns: `
        target_id uuid NOT NULL,
        object_id uuid NOT NULL,
        record_id uuid NOT NULL,
        field_key integer NOT NULL`,
      primaryKey: ['target_id', 'object_id', 'record_id', 'field_key'],
    });
    // A value is released by itself: the record that has it knows it.
    await runner.query('DROP INDEX IF EXISTS custom_unique_record_id_idx');
  }
}

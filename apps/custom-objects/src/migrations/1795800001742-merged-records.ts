import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/** A merged record says into which: who erases that one erases both. */
export class MergedRecords1795800001742 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE custom_record ADD COLUMN merged_into uuid');
    await runner.query(
      'CREATE INDEX custom_record_merged ON custom_record (tenant_id, merged_into) WHERE merged_into IS NOT NULL',
    );
  }
}

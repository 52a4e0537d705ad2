import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/**
 * A reference that not all readers see is cleared without a new version of its record, and told by the record's history once its target is
 * purged: histories have changes besides those of the versions.
 */
export class HiddenReferences1795800001743 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE cleared_reference ADD COLUMN version integer, ADD COLUMN by uuid, ADD COLUMN actor text, ADD COLUMN app text',
    );
    await runner.query(`ALTER TABLE record_history ADD COLUMN besides_at timestamptz NOT NULL DEFAULT '-infinity'`);
    await runner.query('ALTER TABLE record_history DROP CONSTRAINT record_history_pkey');
    await runner.query(
      'ALTER TABLE record_history ADD CONSTRAINT record_history_pkey PRIMARY KEY (tenant_id, object_id, record_id, version, besides_at)',
    );
  }
}

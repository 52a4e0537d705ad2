import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/** A note says who changed it last: its author is not the only one who may. */
export class NoteChanges1795800001740 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE record_note ADD COLUMN changed_by uuid, ADD COLUMN changed_at timestamptz');
  }
}

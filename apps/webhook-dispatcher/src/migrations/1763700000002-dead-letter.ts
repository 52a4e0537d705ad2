import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/** Databases that were created before the table had this name keep their dead letters. */
export class DeadLetter1763700000002 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE IF EXISTS poison_message RENAME TO dead_letter');
  }
}

import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/** The trace of the call or event that a run was queued for, of the few that are recorded. */
export class RunTraces1795600000001 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE run_queue ADD COLUMN traceparent text');
  }
}

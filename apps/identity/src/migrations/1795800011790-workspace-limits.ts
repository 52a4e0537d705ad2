import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/** What operators let one workspace store instead of what its plan says, and when its administrators were told that it is nearly full. */
export class WorkspaceLimits1795800011790 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE tenant ADD COLUMN limits jsonb, ADD COLUMN storage_told_at timestamptz');
  }
}

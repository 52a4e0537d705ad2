import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/** What is shared with an app goes to its installation and not to its sandboxes. */
export class Sandboxes1795800001730 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook_subscription ADD COLUMN sandbox boolean NOT NULL DEFAULT false');
  }
}

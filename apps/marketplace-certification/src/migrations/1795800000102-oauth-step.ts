import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/** Installations of apps that act for users have one step more. */
export class OAuthStep1795800000102 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE installation_step
        DROP CONSTRAINT installation_step_name_check,
        ADD CONSTRAINT installation_step_name_check
          CHECK (name IN ('objects', 'workflows', 'subscriptions', 'authorization'))`);
  }
}

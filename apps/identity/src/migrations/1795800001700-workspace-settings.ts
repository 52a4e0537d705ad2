import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/** The currency of new amounts and the language of the workspace. */
export class WorkspaceSettings1795800001700 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE tenant ADD COLUMN currency text NOT NULL DEFAULT 'EUR',
        ADD COLUMN language text NOT NULL DEFAULT 'en' CHECK (language IN ('en', 'de'))`);
  }
}

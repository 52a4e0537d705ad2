import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/** Those of before get the grace of pages once a page has exchanged them. */
export class PageTokens1795800011760 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE refresh_token ADD COLUMN of_page boolean NOT NULL DEFAULT false');
  }
}

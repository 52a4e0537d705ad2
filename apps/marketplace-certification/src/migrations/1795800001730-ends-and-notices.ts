import { DATABASES } from '@crm/contracts';
import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/** What the consent said stays with the installation; the platform itself removes the sandboxes of versions that have ended. */
export class EndsAndNotices1795800001730 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE installation ADD COLUMN notices jsonb NOT NULL DEFAULT '[]', ALTER COLUMN acting_user_id DROP NOT NULL`);
    const { narrowRole } = DATABASES['marketplace-certification'];
    await runner.query(`GRANT SELECT (id, version_id) ON installation TO ${narrowRole}`);
  }
}

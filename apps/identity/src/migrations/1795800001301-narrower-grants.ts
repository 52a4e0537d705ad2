import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

const OF_TENANTS = "'user', 'session', 'grant', 'app', 'tenant', 'installation', 'suspension', 'reinstatement'";

/**
 * Users leave out scopes of an app, but for those that its package requires. Of an installation that was registered before this,
 * nothing is known to be required until it is registered again.
 */
export class NarrowerGrants1795800001301 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE oauth_installation ADD COLUMN required_scopes text[] NOT NULL DEFAULT '{}'`);
    await runner.query(`
      ALTER TABLE pending_cutoff
        DROP CONSTRAINT pending_cutoff_kind_check,
        ADD CONSTRAINT pending_cutoff_kind_check CHECK (kind IN (${OF_TENANTS}))`);
    await runner.query(`
      ALTER TABLE revocation_cutoff
        DROP CONSTRAINT revocation_cutoff_kind_check,
        ADD CONSTRAINT revocation_cutoff_kind_check CHECK (kind IN (${OF_TENANTS}, 'signing_key'))`);
  }
}

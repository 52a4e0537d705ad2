import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';
import { createClientFunction } from './tables/functions.js';

/** Every service learns for good which apps are revoked, also of those from before; a token says whether it is a sandbox's. */
export class RevokedApps1795800011730 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['pending_cutoff', 'revocation_cutoff']) {
      const kinds = `'user', 'session', 'grant', 'app', 'tenant', 'installation', 'embedding', 'suspension', 'reinstatement', 'revoked_app'`;
      await runner.query(`
        ALTER TABLE ${table} DROP CONSTRAINT ${table}_kind_check,
          ADD CONSTRAINT ${table}_kind_check
            CHECK (kind IN (${kinds}${table === 'revocation_cutoff' ? `, 'signing_key'` : ''}))`);
    }
    // The policies of the owner admit no rows.
    const tables = ['oauth_app', 'revocation_cutoff'];
    for (const table of tables) await runner.query(`ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`);
    await runner.query(`
      INSERT INTO revocation_cutoff (kind, id, cutoff_ms, expires_at)
      SELECT 'revoked_app', app_key, (extract(epoch FROM updated_at) * 1000)::bigint, 'infinity'
        FROM oauth_app WHERE status = 'revoked'`);
    for (const table of tables) await runner.query(`ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`);
    await createClientFunction(runner);
  }
}

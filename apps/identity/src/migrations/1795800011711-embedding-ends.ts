import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';
import { createMintFunctions } from './tables/functions.js';

const KINDS = "'user', 'session', 'grant', 'app', 'tenant', 'installation', 'embedding', 'suspension', 'reinstatement'";

/** An app that its publisher's workspace has uninstalled embeds no more, and the tokens that its hosts have can be cut off. */
export class EmbeddingEnds1795800011711 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE embed_client ADD COLUMN ended_at timestamptz');
    // The policies of the owner admit no rows.
    const tables = ['embed_client', 'oauth_installation'];
    for (const table of tables) await runner.query(`ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`);
    // Those that were uninstalled before. An installation without a name never came about.
    await runner.query(`
      UPDATE embed_client c SET ended_at = i.ended_at FROM (
        SELECT app_key, tenant_id, max(ended_at) AS ended_at FROM oauth_installation
         WHERE NOT sandbox AND app_name <> '' GROUP BY app_key, tenant_id HAVING bool_and(ended_at IS NOT NULL)) i
       WHERE i.app_key = c.app_key AND i.tenant_id = c.tenant_id`);
    for (const table of tables) await runner.query(`ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`);
    for (const [table, kinds] of [
      ['pending_cutoff', KINDS],
      ['revocation_cutoff', `${KINDS}, 'signing_key'`],
    ]) {
      await runner.query(`ALTER TABLE ${table} DROP CONSTRAINT ${table}_kind_check,
        ADD CONSTRAINT ${table}_kind_check CHECK (kind IN (${kinds}))`);
    }
    await createMintFunctions(runner);
  }
}

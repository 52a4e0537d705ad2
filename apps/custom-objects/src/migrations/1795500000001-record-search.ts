import { DATABASES } from '@crm/contracts';
import { createTenantTable, ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';
import { SEARCH_FUNCTION, SEARCH_INDEX } from '../finding/search-functions.js';

const roles = DATABASES['custom-objects'];

/**
 * The texts that a search looks into, in a table of their own: they are written only when they change, and a change of
 * another field writes nothing to their index.
 */
export class RecordSearch1795500000001 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE EXTENSION IF NOT EXISTS pg_trgm');
    await runner.query('CREATE EXTENSION IF NOT EXISTS btree_gin');
    await createTenantTable(runner, roles, {
      name: 'record_search',
      columns: `
        object_id uuid NOT NULL,
        id uuid NOT NULL,
        audience text COLLATE "C" NOT NULL,
        text text NOT NULL`,
      primaryKey: ['object_id', 'id', 'audience'],
    });
    await runner.query(SEARCH_INDEX);
    await runner.query(SEARCH_FUNCTION);
    await runner.query(`CREATE POLICY search_select ON record_search FOR SELECT TO ${roles.ownerRole} USING (true)`);
    const signature = 'search_records(uuid, text[], text, boolean, uuid, integer, integer)';
    await runner.query(`REVOKE ALL ON FUNCTION ${signature} FROM PUBLIC`);
    await runner.query(`GRANT EXECUTE ON FUNCTION ${signature} TO ${roles.runtimeRole}`);
  }
}

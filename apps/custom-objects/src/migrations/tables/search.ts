import { DATABASES } from '@crm/contracts';
import { createTenantTable, isDistributed, runSql } from '@crm/database';
import type { QueryRunner } from 'typeorm';
import { VACUUM } from './records.js';

const roles = DATABASES['custom-objects'];

/** In a separate table: texts are written only when they change, and another field's change writes nothing to their index. */
export async function createSearchTable(runner: QueryRunner): Promise<void> {
  await createTenantTable(runner, roles, {
    name: 'record_search',
    columns: `
      object_id uuid NOT NULL,
      id uuid NOT NULL,
      audience text COLLATE "C" NOT NULL,
      text text NOT NULL`,
    primaryKey: ['object_id', 'id', 'audience'],
    storage: VACUUM,
  });
  await runner.query(`CREATE POLICY search_select ON record_search FOR SELECT TO ${roles.ownerRole} USING (true)`);
  await runSql(
    runner,
    (await isDistributed(runner))
      ? new URL('./search-records.cluster.sql', import.meta.url)
      : new URL('./search-records.sql', import.meta.url),
  );
  await runSql(runner, new URL('./search.sql', import.meta.url));
}

import { DATABASES } from '@crm/contracts';
import { createTenantTable, ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';
import { COUNT_STORAGE_FUNCTION, RECORD_FUNCTIONS } from './1795500001610-record-functions.js';

const roles = DATABASES['custom-objects'];

/** What each object of a tenant has: records, the bin included, and the bytes of their values and notes. */
export class StorageUse1795800001790 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    // By the column and not where it is written, so that no statement can forget it.
    await runner.query(
      'ALTER TABLE custom_record ADD COLUMN bytes integer GENERATED ALWAYS AS (octet_length(data::text)) STORED',
    );
    await runner.query(
      'ALTER TABLE record_note ADD COLUMN bytes integer GENERATED ALWAYS AS (octet_length(text)) STORED',
    );
    for (const table of ['custom_record', 'record_note']) {
      await runner.query(`GRANT SELECT (bytes, object_id, tenant_id) ON ${table} TO ${roles.narrowRole}`);
    }
    await createTenantTable(runner, roles, {
      name: 'storage_use',
      columns: `
        object_id uuid NOT NULL,
        slot uuid NOT NULL,
        records bigint NOT NULL,
        bytes bigint NOT NULL`,
      primaryKey: ['object_id', 'slot'],
      narrow: ['select', 'insert', 'update'],
      // Changed by every write: the row stays on its page.
      storage: 'fillfactor = 20',
    });
    const tables = ['custom_record', 'record_note', 'storage_use'];
    // The policies of the owner admit no rows of any tenant.
    for (const table of tables) await runner.query(`ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`);
    await runner.query(`
      INSERT INTO storage_use (tenant_id, object_id, slot, records, bytes)
      SELECT tenant_id, object_id, object_id, count(*), sum(bytes) FROM custom_record GROUP BY tenant_id, object_id`);
    await runner.query(`
      INSERT INTO storage_use (tenant_id, object_id, slot, records, bytes)
      SELECT tenant_id, object_id, object_id, 0, sum(bytes) FROM record_note GROUP BY tenant_id, object_id
          ON CONFLICT (tenant_id, object_id, slot) DO UPDATE SET bytes = storage_use.bytes + excluded.bytes`);
    for (const table of tables) await runner.query(`ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`);
    for (const statement of [...RECORD_FUNCTIONS, COUNT_STORAGE_FUNCTION]) await runner.query(statement);
  }
}

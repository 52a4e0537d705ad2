import { DATABASES } from '@crm/contracts';
import { createTenantTable, ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';
import { CHANGE_RECORDS } from './1795500001610-record-functions.js';

const roles = DATABASES['custom-objects'];

/** As `change_records` was before it wrote history. */
const CHANGE_RECORDS_BEFORE =
  'change_records(uuid, uuid, uuid[], jsonb, uuid[], jsonb, uuid[], text[], text[], uuid[], uuid[], text[], text[], json)';

/** What was changed in records, and what people note about them. */
export class HistoryAndNotes1795500001730 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createTenantTable(runner, roles, {
      name: 'record_history',
      columns: `
        object_id uuid NOT NULL,
        record_id uuid NOT NULL,
        version integer NOT NULL,
        at timestamptz NOT NULL,
        by uuid NOT NULL,
        actor text NOT NULL,
        app text,
        data jsonb NOT NULL`,
      primaryKey: ['object_id', 'record_id', 'version'],
      indexes: [{ columns: 'at', tenantFirst: false }],
      narrow: ['select', 'delete'],
      // Rows are added and never changed.
      storage: 'fillfactor = 100, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_scale_factor = 0.02',
    });
    await createTenantTable(runner, roles, {
      name: 'record_note',
      columns: `
        id uuid NOT NULL,
        object_id uuid NOT NULL,
        record_id uuid NOT NULL,
        kind text NOT NULL,
        text text NOT NULL,
        at timestamptz NOT NULL,
        author_id uuid NOT NULL,
        version integer NOT NULL`,
      indexes: ['object_id, record_id, at, id'],
      narrow: ['select', 'delete'],
    });
    // What belongs to a record goes with it.
    await runner.query(`GRANT SELECT (tenant_id, object_id, id) ON custom_record TO ${roles.narrowRole}`);
    await runner.query(`DROP FUNCTION IF EXISTS ${CHANGE_RECORDS_BEFORE}`);
    await runner.query(CHANGE_RECORDS);
  }
}

import { DATABASES } from '@crm/contracts';
import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

const { runtimeRole } = DATABASES['custom-objects'];

/**
 * Reading a record is one statement and one round trip: the function sets the tenant for its own statement, so row-level
 * security applies as in a transaction, and its plans are made once for each connection. They have to be generic: with the
 * tenant's value Postgres would plan all indexes of the partition again at every call, which takes it ten times as long as
 * the read.
 *
 * The definition's revision is read after the record, by a statement with a newer snapshot: a caller who finds it unchanged
 * has read the record under the definition that it knows.
 */
export class RecordFunctions1795300000000 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION read_record(
        p_tenant uuid, p_object uuid, p_id uuid,
        OUT revision integer, OUT version integer, OUT data text, OUT created_at text, OUT updated_at text
      ) LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_generic_plan AS $$
      BEGIN
        PERFORM set_config('app.tenant_id', p_tenant::text, true);
        SELECT r.version, r.data::text, ${isoText('r.created_at')}, ${isoText('r.updated_at')}
          INTO version, data, created_at, updated_at
          FROM custom_record r
         WHERE r.tenant_id = p_tenant AND r.object_id = p_object AND r.id = p_id AND r.deleted_at IS NULL;
        SELECT o.revision INTO revision
          FROM custom_object o
         WHERE o.tenant_id = p_tenant AND o.id = p_object AND o.state = 'active';
      END $$`);
    await runner.query(`REVOKE ALL ON FUNCTION read_record(uuid, uuid, uuid) FROM PUBLIC`);
    await runner.query(`GRANT EXECUTE ON FUNCTION read_record(uuid, uuid, uuid) TO ${runtimeRole}`);
  }
}

/** A time as the API writes it. Postgres rounds to microseconds, JavaScript cuts to milliseconds; so does this. */
const isoText = (column: string): string =>
  `to_char(date_trunc('milliseconds', ${column}) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

import { CORE_OBJECTS, DATABASES } from '@crm/contracts';
import { ServiceMigration } from '@crm/database';
import { UNSET_SLOTS } from '@crm/fields';
import type { QueryRunner } from 'typeorm';

const { narrowRole } = DATABASES['custom-objects'];

const SLOTS = [
  { letter: 's', type: 'text COLLATE "C"', unset: UNSET_SLOTS.text, present: 8, wanted: 24 },
  { letter: 'n', type: 'float8', unset: UNSET_SLOTS.number, present: 8, wanted: 8 },
  { letter: 't', type: 'timestamptz', unset: UNSET_SLOTS.time, present: 4, wanted: 8 },
].flatMap(({ letter, type, unset, present, wanted }) =>
  Array.from({ length: wanted }, (_, index) => ({
    name: `${letter}${index + 1}`,
    type,
    unset,
    isNew: index >= present,
  })),
);

/** Live records have a value in each slot of their object, those of `used`, also where the field has none. */
const MARK_UNSET = `
  UPDATE custom_record AS record
     SET ${SLOTS.filter(({ isNew }) => !isNew)
       .map(
         ({ name, unset }) =>
           `${name} = CASE WHEN '${name}' = ANY (used.slots) THEN coalesce(record.${name}, '${unset}') END`,
       )
       .join(', ')}`;

/**
 * Tables of millions of rows: a fifth of them dead, the default, would be gigabytes. Dead rows that a hot update left are removed by
 * the next reader of the page; those of other changes wait for this, with their entries in the indexes.
 */
const VACUUM = `
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02,
  autovacuum_vacuum_cost_limit = 1000`;

/** More slots, and an entry of each live record in the index of each slot of its object; removal of deleted records; vacuum settings. */
export class RecordIndex1795500001600 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    const tables = ['custom_record', 'custom_field'];
    // The policies of the owner admit no rows of any tenant.
    for (const table of tables) await runner.query(`ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`);
    await runner.query(`
      ${MARK_UNSET}
        FROM (SELECT tenant_id, object_id, array_agg(slot) AS slots FROM custom_field WHERE slot IS NOT NULL GROUP BY 1, 2) AS used
       WHERE record.tenant_id = used.tenant_id AND record.object_id = used.object_id AND record.deleted_at IS NULL`);
    for (const { id, fields } of Object.values(CORE_OBJECTS)) {
      const used = Object.values(fields).flatMap(({ slot }) => slot ?? []);
      await runner.query(
        `${MARK_UNSET} FROM (SELECT $2::text[] AS slots) AS used WHERE record.object_id = $1 AND record.deleted_at IS NULL`,
        [id, used],
      );
    }
    for (const table of tables) await runner.query(`ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`);

    for (const { name, type } of SLOTS.filter(({ isNew }) => isNew)) {
      await runner.query(`ALTER TABLE custom_record ADD COLUMN ${name} ${type}`);
      await runner.query(
        `CREATE INDEX ON custom_record (tenant_id, object_id, ${name}, id) WHERE ${name} IS NOT NULL AND deleted_at IS NULL`,
      );
    }

    await runner.query('CREATE INDEX custom_record_deleted ON custom_record (deleted_at) WHERE deleted_at IS NOT NULL');
    await runner.query(`GRANT SELECT (deleted_at), DELETE ON custom_record TO ${narrowRole}`);
    for (const command of ['SELECT', 'DELETE']) {
      await runner.query(
        `CREATE POLICY narrow_${command} ON custom_record FOR ${command} TO ${narrowRole} USING (deleted_at IS NOT NULL)`,
      );
    }
    for (const table of ['custom_record', 'custom_unique', 'record_reference', 'record_search']) {
      await runner.query(`ALTER TABLE ${table} SET (${VACUUM})`);
    }
  }
}

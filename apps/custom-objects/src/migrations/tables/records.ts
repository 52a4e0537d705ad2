import { DATABASES } from '@crm/contracts';
import { createTenantTable, type TenantTable } from '@crm/database';
import type { QueryRunner } from 'typeorm';

const roles = DATABASES['custom-objects'];

/**
 * Tables of millions of rows: a fifth of them dead, the default, would be gigabytes. Dead rows that a hot update left are removed by
 * the next reader of the page; those of other changes wait for this, with their entries in the indexes.
 */
export const VACUUM = `
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02,
  autovacuum_vacuum_cost_limit = 1000`;

const SLOT_COLUMNS = [
  { letter: 's', type: 'text COLLATE "C"', count: 24 },
  { letter: 'n', type: 'float8', count: 8 },
  { letter: 't', type: 'timestamptz', count: 8 },
].flatMap(({ letter, type, count }) =>
  Array.from({ length: count }, (_, index) => ({ name: `${letter}${index + 1}`, type })),
);

/** Records, what they claim and refer to, their history and notes, and what they take. */
export async function createRecordTables(runner: QueryRunner): Promise<void> {
  await createRecordTable(runner);
  for (const table of TABLES) await createTenantTable(runner, roles, table);
  for (const table of ['custom_record', 'record_note']) {
    await runner.query(`GRANT SELECT (bytes, object_id, tenant_id) ON ${table} TO ${roles.narrowRole}`);
  }
}

/**
 * Filterable fields live in typed slot columns because only leakproof comparisons may use an index under row-level security; those of
 * text, float8, timestamptz and uuid are, those of jsonb are not. Live records have a value in each slot of their object, also where the
 * field has none. The index of a slot ends with the id, so that it serves the filter and the order of a list: a page is its first
 * entries, and a plan that knows no values is right.
 *
 * One table: with partitions a list would not come in the order of an index, because a plan that knows no tenant cannot
 * choose the partition, and every statement would cost some 20 µs more.
 *
 * What every read needs comes before what is long or seldom set: a column costs as much as the ones before it. A part of
 * each page stays free, so that a change that touches no indexed value is written beside the row and to no index.
 */
async function createRecordTable(runner: QueryRunner): Promise<void> {
  await createTenantTable(runner, roles, {
    name: 'custom_record',
    // Its bytes are those of the column and not of what is written, so that no statement can forget to count them.
    columns: `
      object_id uuid NOT NULL,
      id uuid NOT NULL,
      version integer NOT NULL,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      deleted_at timestamptz,
      data jsonb NOT NULL,
      created_by uuid,
      ${SLOT_COLUMNS.map(({ name, type }) => `${name} ${type}`).join(',\n      ')},
      deleted_by uuid,
      deleted_with uuid,
      merged_into uuid,
      bytes integer GENERATED ALWAYS AS (octet_length(data::text)) STORED`,
    primaryKey: ['object_id', 'id'],
    storage: `fillfactor = 85, ${VACUUM}`,
    indexes: [
      // Of live records, so that counting them needs the index only.
      { columns: 'object_id, id', where: 'deleted_at IS NULL' },
      ...SLOT_COLUMNS.map(({ name }) => ({
        columns: `object_id, ${name}, id`,
        where: `${name} IS NOT NULL AND deleted_at IS NULL`,
      })),
    ],
  });
  // What is deleted says by whom and along with what; a merged record says into which.
  for (const [name, columns, condition] of [
    ['deleted', 'deleted_at', 'deleted_at'],
    ['bin', 'tenant_id, object_id, deleted_at, id', 'deleted_at'],
    ['along', 'tenant_id, deleted_with', 'deleted_with'],
    ['merged', 'tenant_id, merged_into', 'merged_into'],
  ]) {
    await runner.query(
      `CREATE INDEX custom_record_${name} ON custom_record (${columns}) WHERE ${condition} IS NOT NULL`,
    );
  }
  // An object belongs to one tenant, which the planner would otherwise take for two independent conditions.
  await runner.query(
    'CREATE STATISTICS custom_record_objects (ndistinct, dependencies) ON tenant_id, object_id FROM custom_record',
  );
  await runner.query(
    `GRANT SELECT (tenant_id, object_id, id, deleted_at), DELETE ON custom_record TO ${roles.narrowRole}`,
  );
  for (const command of ['select', 'delete']) {
    await runner.query(
      `CREATE POLICY narrow_${command} ON custom_record FOR ${command} TO ${roles.narrowRole} USING (deleted_at IS NOT NULL)`,
    );
  }
}

const TABLES: readonly TenantTable[] = [
  {
    name: 'custom_unique',
    columns: `
      object_id uuid NOT NULL,
      field_id uuid NOT NULL,
      norm_value text COLLATE "C" NOT NULL,
      record_id uuid NOT NULL`,
    // A value is released by itself: the record that has it knows it.
    primaryKey: ['object_id', 'field_id', 'norm_value'],
    storage: VACUUM,
  },
  {
    name: 'record_reference',
    columns: `
      target_id uuid NOT NULL,
      object_id uuid NOT NULL,
      record_id uuid NOT NULL,
      field_key integer NOT NULL`,
    // What refers to a record is found by the record's id.
    primaryKey: ['target_id', 'object_id', 'record_id', 'field_key'],
    storage: VACUUM,
  },
  {
    // References that a deletion cleared, which are restored with the record. One that not all readers see is cleared without a new
    // version, and told by the history once its target is purged.
    name: 'cleared_reference',
    columns: `
      target_id uuid NOT NULL,
      object_id uuid NOT NULL,
      record_id uuid NOT NULL,
      field_key integer NOT NULL,
      cleared_at timestamptz NOT NULL,
      version integer,
      by uuid,
      actor text,
      app text`,
    primaryKey: ['target_id', 'object_id', 'record_id', 'field_key'],
    indexes: [{ columns: 'cleared_at', tenantFirst: false }],
    narrow: ['select', 'delete'],
  },
  {
    name: 'record_history',
    // Changes of hidden references stand besides those of versions.
    columns: `
      object_id uuid NOT NULL,
      record_id uuid NOT NULL,
      version integer NOT NULL,
      besides_at timestamptz NOT NULL DEFAULT '-infinity',
      at timestamptz NOT NULL,
      by uuid NOT NULL,
      actor text NOT NULL,
      app text,
      data jsonb NOT NULL`,
    primaryKey: ['object_id', 'record_id', 'version', 'besides_at'],
    indexes: [{ columns: 'at', tenantFirst: false }],
    narrow: ['select', 'delete'],
    // Rows are added and never changed.
    storage: 'fillfactor = 100, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_scale_factor = 0.02',
  },
  {
    name: 'record_note',
    columns: `
      id uuid NOT NULL,
      object_id uuid NOT NULL,
      record_id uuid NOT NULL,
      kind text NOT NULL,
      text text NOT NULL,
      at timestamptz NOT NULL,
      author_id uuid NOT NULL,
      version integer NOT NULL,
      changed_by uuid,
      changed_at timestamptz,
      bytes integer GENERATED ALWAYS AS (octet_length(text)) STORED`,
    indexes: ['object_id, record_id, at, id'],
    narrow: ['select', 'delete'],
  },
  {
    // What each object of a tenant has: records, the bin included, and the bytes of their values and notes, in several rows.
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
  },
];

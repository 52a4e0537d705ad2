import { DATABASES } from '@crm/contracts';
import { createIdempotencyTable, createOutboxTable, createTenantTable, ServiceMigration } from '@crm/database';
import { FORMULA_SQL_FUNCTIONS } from '@crm/formula';
import type { QueryRunner } from 'typeorm';

const roles = DATABASES['custom-objects'];

/** How full pages of records are filled by new ones. */
const RECORD_FILL_PERCENT = 85;

const SLOT_COLUMNS = [
  ...Array.from({ length: 8 }, (_, index) => ({ name: `s${index + 1}`, type: 'text COLLATE "C"' })),
  ...Array.from({ length: 8 }, (_, index) => ({ name: `n${index + 1}`, type: 'float8' })),
  ...Array.from({ length: 4 }, (_, index) => ({ name: `t${index + 1}`, type: 'timestamptz' })),
];

/**
 * The index key that is common to the texts of one audience of one object. A hash, because the index has one column that
 * separates tenants and objects: another would cost an entry more for each text. A collision does not matter, because
 * the function compares tenant and object too.
 */
export const SEARCH_SCOPE = (tenant: string, object: string, audience: string): string =>
  `pg_catalog.uuid_hash_extended(${tenant}, pg_catalog.uuid_hash_extended(${object}, pg_catalog.hashtextextended(${audience}, 0)))`;

/**
 * Trigrams of each text. New entries wait in a list of at most 1 MB, which every search reads, before they are sorted into
 * the index together: one by one they would cost ten times as much.
 */
const SEARCH_INDEX = `
  CREATE INDEX record_search_text ON record_search
   USING gin ((${SEARCH_SCOPE('tenant_id', 'object_id', 'audience')}), text gin_trgm_ops) WITH (gin_pending_list_limit = 1024)`;

/** Definitions as rows, records in one set of tables for all tenants: an installation runs no DDL. */
export class StaleDefinition1795500000002 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    // Called by formulas in queries where Postgres would raise an error or give another result.
    for (const statement of FORMULA_SQL_FUNCTIONS) await runner.query(statement);

    await createTenantTable(runner, roles, {
      name: 'custom_object',
      columns: `
        id uuid NOT NULL,
        installation_id uuid NOT NULL,
        app_key text NOT NULL,
        sandbox boolean NOT NULL,
        declared_api_name text NOT NULL,
        api_name text NOT NULL,
        label text NOT NULL,
        plural_label text NOT NULL,
        description text,
        name_field text,
        state text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'removed')),
        revision integer NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT now()`,
      indexes: ['installation_id'],
    });
    // A removed object keeps its records, and its name is free.
    await runner.query(
      `CREATE UNIQUE INDEX custom_object_api_name ON custom_object (tenant_id, api_name) WHERE state = 'active'`,
    );

    await createTenantTable(runner, roles, {
      name: 'custom_field',
      columns: `
        id uuid NOT NULL,
        object_id uuid NOT NULL,
        api_name text NOT NULL,
        key integer NOT NULL,
        position integer NOT NULL,
        slot text,
        reference_object_id uuid,
        definition jsonb NOT NULL`,
      unique: [['object_id', 'api_name']],
      references: [{ columns: ['object_id'], table: 'custom_object', onDelete: 'cascade' }],
    });

    // What administrators let apps do with the objects of other apps.
    await createTenantTable(runner, roles, {
      name: 'custom_object_share',
      columns: `
        object_id uuid NOT NULL,
        app_key text NOT NULL,
        access text NOT NULL CHECK (access IN ('read', 'write'))`,
      primaryKey: ['object_id', 'app_key'],
      references: [{ columns: ['object_id'], table: 'custom_object', onDelete: 'cascade' }],
    });
    // A write compares the revision and calls it when there is another: its commit is sent without waiting for the answer.
    // The comparison is no part of it: a call of PL/pgSQL costs more than the rest.
    await runner.query(`
      CREATE FUNCTION stale_definition() RETURNS boolean LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'The definition of the object has changed' USING ERRCODE = 'CO001';
      END $$`);

    await this.createRecordTable(runner);
    await createTenantTable(runner, roles, {
      name: 'custom_unique',
      columns: `
        object_id uuid NOT NULL,
        field_id uuid NOT NULL,
        norm_value text COLLATE "C" NOT NULL,
        record_id uuid NOT NULL`,
      // A value is released by itself: the record that has it knows it.
      primaryKey: ['object_id', 'field_id', 'norm_value'],
    });

    await createTenantTable(runner, roles, {
      name: 'record_reference',
      columns: `
        target_id uuid NOT NULL,
        object_id uuid NOT NULL,
        record_id uuid NOT NULL,
        field_key integer NOT NULL`,
      // What refers to a record is found by the record's id.
      primaryKey: ['target_id', 'object_id', 'record_id', 'field_key'],
    });

    await this.createSearchTable(runner);
    await createIdempotencyTable(runner, roles);
    await createOutboxTable(runner, roles);
  }

  /**
   * Filterable fields live in typed slot columns because only leakproof comparisons may use an index under row-level security; those of
   * text, float8, timestamptz and uuid are, those of jsonb are not. The index of a slot ends with the id, so that it serves
   * the filter and the order of a list: a page is its first entries, and a plan that knows no values is right.
   *
   * One table: with partitions a list would not come in the order of an index, because a plan that knows no tenant cannot
   * choose the partition, and every statement would cost some 20 µs more.
   *
   * What every read needs comes before what is long or seldom set: a column costs as much as the ones before it. A part of
   * each page stays free, so that a change that touches no indexed value is written beside the row and to no index.
   */
  private async createRecordTable(runner: QueryRunner): Promise<void> {
    await createTenantTable(runner, roles, {
      name: 'custom_record',
      columns: `
        object_id uuid NOT NULL,
        id uuid NOT NULL,
        version integer NOT NULL,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        deleted_at timestamptz,
        data jsonb NOT NULL,
        created_by uuid,
        ${SLOT_COLUMNS.map(({ name, type }) => `${name} ${type}`).join(',\n        ')}`,
      primaryKey: ['object_id', 'id'],
      indexes: [
        // Of live records, so that counting them needs the index only.
        { columns: 'object_id, id', where: 'deleted_at IS NULL' },
        ...SLOT_COLUMNS.map(({ name }) => ({
          columns: `object_id, ${name}, id`,
          where: `${name} IS NOT NULL AND deleted_at IS NULL`,
        })),
      ],
    });
    await runner.query(`ALTER TABLE custom_record SET (fillfactor = ${RECORD_FILL_PERCENT})`);
    // An object belongs to one tenant, which the planner would otherwise take for two independent conditions.
    await runner.query(
      'CREATE STATISTICS custom_record_objects (ndistinct, dependencies) ON tenant_id, object_id FROM custom_record',
    );
  }

  /** In a table of their own: they are written only when they change, and another field's change writes nothing to their index. */
  private async createSearchTable(runner: QueryRunner): Promise<void> {
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
    await runner.query(`CREATE POLICY search_select ON record_search FOR SELECT TO ${roles.ownerRole} USING (true)`);
  }
}

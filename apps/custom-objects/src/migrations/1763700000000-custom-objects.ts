import { createInboxTable, createOutboxTable, createTenantTable, protectTenantTable } from '@crm/database';
import { DATABASES } from '@crm/contracts';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const roles = DATABASES['custom-objects'];

/** Partitions of the record table; a tenant's records are all in one. */
const RECORD_PARTITIONS = 8;

const SLOT_COLUMNS = [
  ...Array.from({ length: 8 }, (_, index) => ({ name: `s${index + 1}`, type: 'text COLLATE "C"' })),
  ...Array.from({ length: 8 }, (_, index) => ({ name: `n${index + 1}`, type: 'float8' })),
  ...Array.from({ length: 4 }, (_, index) => ({ name: `t${index + 1}`, type: 'timestamptz' })),
];

/** Definitions as rows, records in one set of tables for all tenants: an install runs no DDL. */
export class CustomObjects1763700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
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
    });
    // A removed object keeps its records but gives its name free.
    await runner.query(
      `CREATE UNIQUE INDEX custom_object_api_name ON custom_object (tenant_id, api_name) WHERE state = 'active'`,
    );
    await runner.query('CREATE INDEX custom_object_installation ON custom_object (tenant_id, installation_id)');

    await createTenantTable(runner, roles, {
      name: 'custom_field',
      columns: `
        id uuid NOT NULL,
        object_id uuid NOT NULL,
        api_name text NOT NULL,
        position integer NOT NULL,
        slot text,
        reference_object_id uuid,
        definition jsonb NOT NULL`,
      unique: [['object_id', 'api_name']],
    });
    await runner.query(
      `ALTER TABLE custom_field ADD CONSTRAINT custom_field_object FOREIGN KEY (tenant_id, object_id)
       REFERENCES custom_object (tenant_id, id) ON DELETE CASCADE`,
    );

    await this.createRecordTable(runner);

    await createTenantTable(runner, roles, {
      name: 'custom_unique',
      columns: `
        object_id uuid NOT NULL,
        field_id uuid NOT NULL,
        norm_value text COLLATE "C" NOT NULL,
        record_id uuid NOT NULL`,
      primaryKey: ['object_id', 'field_id', 'norm_value'],
    });
    await runner.query('CREATE INDEX custom_unique_record ON custom_unique (tenant_id, record_id)');

    await createTenantTable(runner, roles, {
      name: 'creation_key',
      columns: `
        key uuid NOT NULL,
        object_id uuid NOT NULL,
        record_id uuid NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()`,
      primaryKey: ['key'],
    });

    await createOutboxTable(runner, roles);
    await createInboxTable(runner, roles);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of [
      'inbox',
      'poison_message',
      'outbox',
      'creation_key',
      'custom_unique',
      'custom_record',
      'custom_field',
      'custom_object',
    ]) {
      await runner.query(`DROP TABLE IF EXISTS ${table}`);
    }
  }

  /**
   * Partitioned by hash of the tenant, so that vacuum and index maintenance work on a part at a time. Filterable fields
   * live in typed slot columns because only leakproof comparisons may use an index under row-level security; those of
   * text, float8, timestamptz and uuid are, those of jsonb are not.
   */
  private async createRecordTable(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE custom_record (
        tenant_id uuid NOT NULL,
        object_id uuid NOT NULL,
        id uuid NOT NULL,
        version integer NOT NULL,
        data jsonb NOT NULL,
        search_text text NOT NULL,
        ${SLOT_COLUMNS.map(({ name, type }) => `${name} ${type}`).join(',\n        ')},
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        deleted_at timestamptz,
        created_by uuid,
        PRIMARY KEY (tenant_id, object_id, id)
      ) PARTITION BY HASH (tenant_id)`);
    for (let remainder = 0; remainder < RECORD_PARTITIONS; remainder += 1) {
      const partition = `custom_record_p${remainder}`;
      await runner.query(
        `CREATE TABLE ${partition} PARTITION OF custom_record
         FOR VALUES WITH (MODULUS ${RECORD_PARTITIONS}, REMAINDER ${remainder})`,
      );
      await protectTenantTable(runner, roles, { name: partition, grants: [] });
    }
    for (const { name } of SLOT_COLUMNS) {
      await runner.query(
        `CREATE INDEX custom_record_${name} ON custom_record (tenant_id, object_id, ${name})
         WHERE ${name} IS NOT NULL AND deleted_at IS NULL`,
      );
    }
    await protectTenantTable(runner, roles, { name: 'custom_record' });
  }
}

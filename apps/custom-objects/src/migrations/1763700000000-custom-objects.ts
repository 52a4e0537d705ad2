import { DATABASES } from '@crm/contracts';
import { createInboxTable, createOutboxTable, createTenantTable } from '@crm/database';
import { createIdempotencyTable } from '@crm/idempotency';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const roles = DATABASES['custom-objects'];

/** Partitions of the record table; a tenant's records are all in one. */
const RECORD_PARTITIONS = 8;

const SLOT_COLUMNS = [
  ...Array.from({ length: 8 }, (_, index) => ({ name: `s${index + 1}`, type: 'text COLLATE "C"' })),
  ...Array.from({ length: 8 }, (_, index) => ({ name: `n${index + 1}`, type: 'float8' })),
  ...Array.from({ length: 4 }, (_, index) => ({ name: `t${index + 1}`, type: 'timestamptz' })),
];

/** Definitions as rows, records in one set of tables for all tenants: an installation runs no DDL. */
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
        position integer NOT NULL,
        slot text,
        reference_object_id uuid,
        definition jsonb NOT NULL`,
      unique: [['object_id', 'api_name']],
      references: [{ columns: ['object_id'], table: 'custom_object', onDelete: 'cascade' }],
    });

    await this.createRecordTable(runner);

    await createTenantTable(runner, roles, {
      name: 'custom_unique',
      columns: `
        object_id uuid NOT NULL,
        field_id uuid NOT NULL,
        norm_value text COLLATE "C" NOT NULL,
        record_id uuid NOT NULL`,
      primaryKey: ['object_id', 'field_id', 'norm_value'],
      indexes: ['record_id'],
    });

    await createIdempotencyTable(runner, roles);
    await createOutboxTable(runner, roles);
    await createInboxTable(runner, roles);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of [
      'inbox',
      'dead_letter',
      'outbox',
      'outbox_position',
      'idempotency',
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
    await createTenantTable(runner, roles, {
      name: 'custom_record',
      columns: `
        object_id uuid NOT NULL,
        id uuid NOT NULL,
        version integer NOT NULL,
        data jsonb NOT NULL,
        search_text text NOT NULL,
        ${SLOT_COLUMNS.map(({ name, type }) => `${name} ${type}`).join(',\n        ')},
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        deleted_at timestamptz,
        created_by uuid`,
      primaryKey: ['object_id', 'id'],
      indexes: SLOT_COLUMNS.map(({ name }) => ({
        columns: `object_id, ${name}`,
        where: `${name} IS NOT NULL AND deleted_at IS NULL`,
      })),
      hashPartitions: RECORD_PARTITIONS,
    });
  }
}

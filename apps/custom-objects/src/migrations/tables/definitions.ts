import { DATABASES } from '@crm/contracts';
import { createTenantTable } from '@crm/database';
import type { QueryRunner } from 'typeorm';

const roles = DATABASES['custom-objects'];

/** Objects and fields, what administrators share of them, and the views that people save. */
export async function createDefinitionTables(runner: QueryRunner): Promise<void> {
  await createTenantTable(runner, roles, {
    name: 'custom_object',
    // A standard object has a row for the settings of the workspace, and belongs to no installation.
    columns: `
      id uuid NOT NULL,
      installation_id uuid,
      app_key text,
      sandbox boolean NOT NULL,
      declared_api_name text NOT NULL,
      api_name text NOT NULL,
      label text NOT NULL,
      plural_label text NOT NULL,
      description text,
      name_field text,
      state text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'removed')),
      revision integer NOT NULL DEFAULT 1,
      created_at timestamptz NOT NULL DEFAULT now(),
      settings jsonb`,
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
  await createTenantTable(runner, roles, {
    name: 'saved_view',
    columns: `
      id uuid NOT NULL,
      object_id uuid NOT NULL,
      owner_id uuid NOT NULL,
      name text NOT NULL,
      shared boolean NOT NULL,
      filter jsonb,
      sort text,
      columns jsonb NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now()`,
    indexes: ['object_id, name, id', 'owner_id'],
  });
}

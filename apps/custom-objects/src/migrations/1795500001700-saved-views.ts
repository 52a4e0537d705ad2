import { DATABASES } from '@crm/contracts';
import { createTenantTable, ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

export class SavedViews1795500001700 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createTenantTable(runner, DATABASES['custom-objects'], {
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
}

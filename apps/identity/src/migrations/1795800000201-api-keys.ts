import { DATABASES } from '@crm/contracts';
import { createTenantTable, ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

const roles = DATABASES.identity;

/** API keys of users, and service accounts with keys of their own. */
export class ApiKeys1795800000201 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createTenantTable(runner, roles, {
      name: 'service_account',
      columns: `
        id uuid NOT NULL,
        name text NOT NULL,
        roles text[] NOT NULL,
        scopes text[] NOT NULL,
        status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled')),
        created_by uuid NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()`,
    });
    await createTenantTable(runner, roles, {
      name: 'api_key',
      // No reference to the owner: it is in one of two tables.
      columns: `
        id uuid NOT NULL,
        owner_kind text NOT NULL CHECK (owner_kind IN ('user', 'service')),
        owner_id uuid NOT NULL,
        name text NOT NULL,
        scopes text[] NOT NULL,
        secret_hash bytea NOT NULL,
        created_by uuid NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        last_used_at timestamptz,
        last_address text`,
      indexes: ['owner_id', { columns: 'expires_at', tenantFirst: false }],
      // For the sweep of what expired a month ago.
      narrow: ['select', 'delete'],
    });
  }
}

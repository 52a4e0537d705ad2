import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';
import { createTenantTables } from './tables/table.js';

/** Whom a provider presents with the address of somebody else waits for an owner; what a provider failed at is told to owners. */
export class LinkRequests1795800011795 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createTenantTables(runner, [
      {
        name: 'provider_link_request',
        columns: `
          id uuid NOT NULL,
          provider_id uuid NOT NULL,
          issuer text NOT NULL,
          sub text NOT NULL,
          email text NOT NULL,
          name text,
          user_id uuid NOT NULL,
          created_at timestamptz NOT NULL DEFAULT now(),
          told_at timestamptz,
          denied_at timestamptz,
          expires_at timestamptz NOT NULL`,
        unique: [['issuer', 'sub']],
        indexes: ['user_id', { columns: 'expires_at', tenantFirst: false }],
        // The sweeper deletes expired ones of every tenant.
        narrow: ['select', 'delete'],
        narrowInContext: 'INSERT, UPDATE',
      },
    ]);
    await runner.query('ALTER TABLE identity_provider ADD COLUMN last_failure jsonb');
    await runner.query("ALTER TABLE person ADD COLUMN left_tenants uuid[] NOT NULL DEFAULT '{}'");
  }
}

import { DATABASES } from '@crm/contracts';
import { createGlobalTable, createTenantTable, ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

const roles = DATABASES.identity;

/** Sign-in at the identity provider of a workspace, for addresses of the domains that it has proven. */
export class SingleSignOn1795800000401 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await this.createProviderTables(runner);
    await this.createDomainTables(runner);
    await runner.query(`
      ALTER TABLE sign_in_policy ADD COLUMN single_sign_on text NOT NULL DEFAULT 'optional'
        CHECK (single_sign_on IN ('optional', 'required'))`);
    await runner.query(`
      ALTER TABLE app_user DROP CONSTRAINT app_user_origin_check,
        ADD CONSTRAINT app_user_origin_check
          CHECK (origin IN ('registration', 'administrator', 'embed', 'identity_provider'))`);
  }

  private async createProviderTables(runner: QueryRunner): Promise<void> {
    await createTenantTable(runner, roles, {
      name: 'identity_provider',
      columns: `
        id uuid NOT NULL,
        name text NOT NULL,
        issuer text NOT NULL,
        client_id text,
        sealed_secret bytea,
        scopes text[] NOT NULL,
        enabled boolean NOT NULL,
        default_roles text[] NOT NULL,
        requires_verified_email boolean NOT NULL,
        second_factor_values text[] NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now()`,
    });
    await createTenantTable(runner, roles, {
      name: 'provider_sign_in',
      columns: `
        id uuid NOT NULL,
        provider_id uuid NOT NULL,
        state_hash bytea NOT NULL,
        browser_hash bytea NOT NULL,
        nonce text NOT NULL,
        sealed_verifier bytea NOT NULL,
        returned_at timestamptz,
        code_hash bytea,
        user_id uuid,
        has_second_factor boolean NOT NULL DEFAULT false,
        expires_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()`,
      indexes: [{ columns: 'expires_at', tenantFirst: false }],
      // The sweeper deletes expired ones of every tenant.
      narrow: ['select', 'delete'],
    });
    await createTenantTable(runner, roles, {
      name: 'provider_link',
      primaryKey: ['issuer', 'sub'],
      columns: `
        issuer text NOT NULL,
        sub text NOT NULL,
        user_id uuid NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()`,
      indexes: ['user_id'],
    });
    // In the context of the tenant, together with the user and the address: no policy opens the rows of others.
    await runner.query(`GRANT SELECT, INSERT ON provider_link TO ${roles.narrowRole}`);
  }

  private async createDomainTables(runner: QueryRunner): Promise<void> {
    await createTenantTable(runner, roles, {
      name: 'mail_domain',
      primaryKey: ['domain'],
      columns: `
        domain text NOT NULL,
        token text NOT NULL,
        verified_at timestamptz,
        missing_since timestamptz,
        created_at timestamptz NOT NULL DEFAULT now()`,
    });
    // A domain is given to a tenant and taken away in the context of this tenant, together with the row below.
    await runner.query(
      `GRANT SELECT, DELETE, UPDATE (verified_at, missing_since) ON mail_domain TO ${roles.narrowRole}`,
    );
    await createGlobalTable(runner, roles, {
      name: 'verified_domain',
      primaryKey: ['domain'],
      role: 'narrow',
      columns: `
        domain text NOT NULL,
        tenant_id uuid NOT NULL,
        next_check_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()`,
      indexes: ['next_check_at', 'tenant_id'],
    });
  }
}

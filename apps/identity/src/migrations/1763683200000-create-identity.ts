import { DATABASES } from '@crm/contracts';
import {
  createGlobalTable,
  createIdempotencyTable,
  createInboxTable,
  createOutboxTable,
  createTenantTable,
  ServiceMigration,
} from '@crm/database';
import type { QueryRunner } from 'typeorm';

const roles = DATABASES.identity;

export class CreateIdentity1763683200000 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await this.createWorkspaceTables(runner);
    await this.createSignInTables(runner);
    await this.createEmbedTables(runner);
    await this.createPlatformTables(runner);
    await this.createPendingCutoffTable(runner);
    await createOutboxTable(runner, roles);
    await createInboxTable(runner, roles);
    await createIdempotencyTable(runner, roles, { narrowCreates: true });
    await this.grantWorkspaceWrites(runner);
  }

  /**
   * A user and the address that signs in as them are written together, by the narrow role in the context of the user's
   * tenant. It gets no policy for this: the tenant's own binds it too.
   */
  private async grantWorkspaceWrites(runner: QueryRunner): Promise<void> {
    for (const table of ['tenant', 'app_user', 'invitation', 'mail']) {
      await runner.query(`GRANT INSERT ON ${table} TO ${roles.narrowRole}`);
    }
    await runner.query(`GRANT SELECT, INSERT ON embed_user TO ${roles.narrowRole}`);
  }

  /** A workspace, the people in it, and the mail that waits to be sent to them. */
  private async createWorkspaceTables(runner: QueryRunner): Promise<void> {
    // The row of a tenant: its own id is the tenant column, so the common policy shows a tenant itself and no other.
    await createTenantTable(runner, roles, {
      name: 'tenant',
      primaryKey: [],
      columns: `
        name text NOT NULL,
        plan text NOT NULL CHECK (plan IN ('developer', 'business', 'enterprise')),
        time_zone text NOT NULL,
        country text,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now()`,
    });
    await createTenantTable(runner, roles, {
      name: 'app_user',
      columns: `
        id uuid NOT NULL,
        email text NOT NULL,
        name text NOT NULL,
        roles text[] NOT NULL,
        status text NOT NULL CHECK (status IN ('active', 'invited', 'disabled')),
        origin text NOT NULL CHECK (origin IN ('registration', 'administrator', 'embed')),
        password_hash text,
        mfa_enabled boolean NOT NULL DEFAULT false,
        created_at timestamptz NOT NULL DEFAULT now()`,
    });
    await createTenantTable(runner, roles, {
      name: 'invitation',
      columns: `
        id uuid NOT NULL,
        user_id uuid NOT NULL,
        secret_hash bytea NOT NULL,
        expires_at timestamptz NOT NULL,
        accepted_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now()`,
    });
    await createTenantTable(runner, roles, {
      name: 'mail',
      // One sender looks for due mail of every tenant.
      narrow: ['select', 'update', 'delete'],
      columns: `
        id uuid NOT NULL,
        recipient text NOT NULL,
        subject text NOT NULL,
        body text NOT NULL,
        attempts integer NOT NULL DEFAULT 0,
        next_attempt_at timestamptz NOT NULL DEFAULT now(),
        last_error text,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL`,
      indexes: [{ columns: 'next_attempt_at', tenantFirst: false }],
    });
  }

  /** Sessions and what a caller presents before its tenant is known. */
  private async createSignInTables(runner: QueryRunner): Promise<void> {
    await createTenantTable(runner, roles, {
      name: 'session',
      columns: `
        id uuid NOT NULL,
        user_id uuid NOT NULL,
        address text,
        user_agent text,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_used_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL`,
      indexes: ['user_id'],
    });
    await createTenantTable(runner, roles, {
      name: 'mfa_challenge',
      columns: `
        id uuid NOT NULL,
        user_id uuid NOT NULL,
        code_mac bytea NOT NULL,
        attempts integer NOT NULL DEFAULT 0,
        expires_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()`,
      indexes: ['user_id'],
    });
    await createGlobalTable(runner, roles, {
      name: 'sign_in_email',
      primaryKey: ['email'],
      role: 'narrow',
      columns: `
        email text NOT NULL,
        tenant_id uuid NOT NULL,
        user_id uuid NOT NULL`,
    });
    await createGlobalTable(runner, roles, {
      name: 'refresh_token',
      primaryKey: ['token_hash'],
      role: 'narrow',
      columns: `
        token_hash bytea NOT NULL,
        session_id uuid NOT NULL,
        tenant_id uuid NOT NULL,
        user_id uuid NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        rotated_at timestamptz`,
      indexes: ['session_id', 'expires_at'],
    });
  }

  /** Embed apps and the host users they brought. */
  private async createEmbedTables(runner: QueryRunner): Promise<void> {
    await createTenantTable(runner, roles, {
      name: 'embed_user',
      primaryKey: ['app_key', 'sub'],
      columns: `
        app_key text NOT NULL,
        sub text NOT NULL,
        user_id uuid NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()`,
      indexes: ['user_id'],
    });
    await createGlobalTable(runner, roles, {
      name: 'embed_client',
      primaryKey: ['client_id'],
      unique: [['app_key']],
      role: 'narrow',
      columns: `
        client_id text NOT NULL,
        app_key text NOT NULL,
        tenant_id uuid NOT NULL,
        secret_hash bytea NOT NULL,
        allowed_origins text[] NOT NULL,
        scopes text[] NOT NULL,
        link_users_by text NOT NULL CHECK (link_users_by IN ('email', 'explicit')),
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now()`,
    });
  }

  /** Cut-offs wait here, in the transaction of the change that causes them, until they are collected and published. */
  private async createPendingCutoffTable(runner: QueryRunner): Promise<void> {
    await createTenantTable(runner, roles, {
      name: 'pending_cutoff',
      primaryKey: ['kind', 'id'],
      narrow: ['select', 'delete'],
      columns: `
        kind text NOT NULL CHECK (kind IN ('user', 'session', 'tenant', 'installation')),
        id text NOT NULL,
        cutoff_ms bigint NOT NULL`,
    });
  }

  /** What belongs to the platform: operators, signing keys, cut-offs. */
  private async createPlatformTables(runner: QueryRunner): Promise<void> {
    await createGlobalTable(runner, roles, {
      name: 'operator',
      primaryKey: ['id'],
      unique: [['email']],
      role: 'narrow',
      columns: `
        id uuid NOT NULL,
        email text NOT NULL,
        name text NOT NULL,
        password_hash text NOT NULL,
        status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled')),
        created_at timestamptz NOT NULL DEFAULT now()`,
    });
    await createGlobalTable(runner, roles, {
      name: 'operator_session',
      primaryKey: ['id'],
      unique: [['refresh_hash'], ['previous_hash']],
      role: 'narrow',
      columns: `
        id uuid NOT NULL,
        operator_id uuid NOT NULL,
        refresh_hash bytea NOT NULL,
        previous_hash bytea,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL`,
    });
    await createGlobalTable(runner, roles, {
      name: 'signing_key',
      primaryKey: ['kid'],
      role: 'narrow',
      columns: `
        kid text NOT NULL,
        issuer_group text NOT NULL CHECK (issuer_group IN ('api', 'admin')),
        public_jwk jsonb NOT NULL,
        sealed_private_jwk bytea NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        signs_from timestamptz NOT NULL,
        retires_at timestamptz`,
    });
    await createGlobalTable(runner, roles, {
      name: 'revocation_cutoff',
      primaryKey: ['kind', 'id'],
      role: 'narrow',
      columns: `
        kind text NOT NULL CHECK (kind IN ('user', 'session', 'app', 'tenant', 'installation')),
        id text NOT NULL,
        cutoff_ms bigint NOT NULL,
        expires_at timestamptz NOT NULL,
        published boolean NOT NULL DEFAULT false`,
      indexes: [{ columns: 'cutoff_ms', where: 'NOT published' }],
    });
  }
}

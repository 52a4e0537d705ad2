import { createGlobalTable, type GlobalTableDefinition } from '@crm/database';
import type { QueryRunner } from 'typeorm';
import { createTenantTables, type IdentityTable, roles } from './table.js';

/** Workspaces, the people in them, their addresses, and the mail that waits to be sent to them. */
export async function createPeopleTables(runner: QueryRunner): Promise<void> {
  await createTenantTables(runner, TENANT_TABLES);
  for (const table of ADDRESSES) await createGlobalTable(runner, roles, { ...table, role: 'narrow' });
  // Hosts can have several users of one address.
  await runner.query("CREATE UNIQUE INDEX app_user_email_key ON app_user (tenant_id, email) WHERE origin <> 'embed'");
  await runner.query("CREATE INDEX app_user_host_email_idx ON app_user (tenant_id, email) WHERE origin = 'embed'");
  // Few users have a role that is not built in.
  await runner.query(`
    CREATE INDEX app_user_added_roles_idx ON app_user (tenant_id) WHERE NOT roles <@ '{owner,admin,member,viewer}'::text[]`);
}

/** What decides whose an address is, before the tenant is known. */
const ADDRESSES: readonly Omit<GlobalTableDefinition, 'role'>[] = [
  {
    name: 'person',
    primaryKey: ['id'],
    columns: `
      id uuid NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      left_tenants uuid[] NOT NULL DEFAULT '{}'`,
  },
  {
    name: 'membership',
    primaryKey: ['person_id', 'tenant_id'],
    unique: [['user_id']],
    columns: `
      person_id uuid NOT NULL,
      tenant_id uuid NOT NULL,
      user_id uuid NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now()`,
  },
  {
    name: 'local_account',
    primaryKey: ['user_id'],
    columns: `
      user_id uuid NOT NULL,
      tenant_id uuid NOT NULL,
      email text NOT NULL,
      password_key bytea,
      declined_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now()`,
    indexes: ['email, password_key'],
  },
  {
    name: 'sign_in_email',
    primaryKey: ['email'],
    // The address that a user had is nobody else's while the change can be undone, and signs nobody in.
    columns: `
      email text NOT NULL,
      tenant_id uuid NOT NULL,
      user_id uuid NOT NULL,
      person_id uuid NOT NULL,
      proven_at timestamptz NOT NULL,
      reserved_until timestamptz`,
    indexes: [{ columns: 'reserved_until', where: 'reserved_until IS NOT NULL' }, 'person_id'],
  },
  {
    name: 'email_claim',
    primaryKey: ['user_id'],
    columns: `
      user_id uuid NOT NULL,
      tenant_id uuid NOT NULL,
      email text NOT NULL,
      password_key bytea,
      secret_hash bytea,
      secret_expires_at timestamptz,
      lost_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now()`,
    indexes: ['email, created_at', 'email, password_key', 'created_at'],
  },
];

/**
 * A user and the address that signs in as them are written, changed and erased together, by the narrow role in the context of
 * the user's tenant. Where it has a policy, it finds what is due or expired in every tenant.
 */
const TENANT_TABLES: readonly IdentityTable[] = [
  {
    // Its own id is the tenant column, so the common policy shows a tenant itself and no other.
    name: 'tenant',
    primaryKey: [],
    columns: `
      name text NOT NULL,
      plan text NOT NULL CHECK (plan IN ('developer', 'business', 'enterprise')),
      time_zone text NOT NULL,
      country text,
      currency text NOT NULL DEFAULT 'EUR',
      language text NOT NULL DEFAULT 'en' CHECK (language IN ('en', 'de')),
      limits jsonb,
      storage_told_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      verified_at timestamptz,
      closed_at timestamptz`,
    narrowInContext: 'INSERT, SELECT, UPDATE (verified_at)',
  },
  {
    // One row for each workspace that was ever suspended. It stays after the reinstatement, so that the next decision is dated
    // later than the last. The narrow role lists the suspended ones.
    name: 'tenant_suspension',
    primaryKey: [],
    columns: `
      name text NOT NULL,
      reason text NOT NULL,
      suspended_at timestamptz NOT NULL,
      reinstated_at timestamptz`,
    indexes: [{ columns: 'suspended_at, tenant_id', where: 'reinstated_at IS NULL', tenantFirst: false }],
    narrow: ['select'],
    grants: ['select', 'insert', 'update'],
  },
  {
    name: 'app_user',
    columns: `
      id uuid NOT NULL,
      email text NOT NULL,
      name text NOT NULL,
      roles text[] NOT NULL,
      status text NOT NULL CHECK (status IN ('active', 'invited', 'disabled')),
      origin text NOT NULL CHECK (origin IN ('registration', 'administrator', 'embed', 'identity_provider')),
      password_hash text,
      initial_password boolean NOT NULL DEFAULT false,
      mfa_enabled boolean NOT NULL DEFAULT false,
      sign_in_epoch integer NOT NULL DEFAULT 0,
      created_at timestamptz NOT NULL DEFAULT now()`,
    // A row lock asks for UPDATE: of tenant_id, which no policy lets it change.
    narrowInContext: `
      INSERT, DELETE, SELECT (tenant_id, id, email, name, roles, status, origin, password_hash, mfa_enabled, sign_in_epoch),
      UPDATE (tenant_id, email, name, status, password_hash, initial_password, mfa_enabled, sign_in_epoch)`,
  },
  {
    name: 'workspace_role',
    primaryKey: ['name'],
    columns: 'name text NOT NULL, label text NOT NULL, created_at timestamptz NOT NULL DEFAULT now()',
    // For a row lock, as above.
    narrowInContext: 'SELECT (tenant_id, name), UPDATE (tenant_id)',
  },
  {
    name: 'invitation',
    columns: `
      id uuid NOT NULL,
      user_id uuid NOT NULL,
      secret_hash bytea NOT NULL,
      expires_at timestamptz NOT NULL,
      accepted_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now()`,
    narrowInContext: 'INSERT, SELECT (tenant_id, user_id), DELETE',
  },
  {
    name: 'password_reset',
    columns: `
      id uuid NOT NULL,
      user_id uuid NOT NULL,
      secret_hash bytea NOT NULL,
      expires_at timestamptz NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now()`,
    indexes: ['user_id', { columns: 'expires_at', tenantFirst: false }],
    narrow: ['select', 'delete'],
  },
  {
    name: 'email_change',
    columns: `
      id uuid NOT NULL,
      user_id uuid NOT NULL,
      old_email text NOT NULL,
      new_email text NOT NULL,
      secret_hash bytea NOT NULL,
      undo_hash bytea,
      expires_at timestamptz NOT NULL,
      confirmed_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now()`,
    indexes: ['user_id', { columns: 'expires_at', tenantFirst: false }],
    narrow: ['select', 'delete'],
    narrowInContext: 'UPDATE',
  },
  {
    name: 'mail',
    columns: `
      id uuid NOT NULL,
      recipient text NOT NULL,
      subject text NOT NULL,
      body text,
      sealed_body bytea,
      attempts integer NOT NULL DEFAULT 0,
      next_attempt_at timestamptz NOT NULL DEFAULT now(),
      last_error text,
      created_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz NOT NULL,
      CONSTRAINT mail_one_body CHECK (num_nonnulls(body, sealed_body) = 1)`,
    indexes: [{ columns: 'next_attempt_at', tenantFirst: false }],
    narrow: ['select', 'update', 'delete'],
    narrowInContext: 'INSERT',
  },
];

import { createGlobalTable } from '@crm/database';
import type { QueryRunner } from 'typeorm';
import { createTenantTables, type IdentityTable, roles } from './table.js';

/** Workspaces, the people in them, their addresses, and the mail that waits to be sent to them. */
export async function createPeopleTables(runner: QueryRunner): Promise<void> {
  await createTenantTables(runner, TENANT_TABLES);
  await createGlobalTable(runner, roles, {
    name: 'sign_in_email',
    primaryKey: ['email'],
    role: 'narrow',
    // The address that a user had is nobody else's while the change can be undone, and signs nobody in.
    columns: `
      email text NOT NULL,
      tenant_id uuid NOT NULL,
      user_id uuid NOT NULL,
      reserved_until timestamptz`,
    indexes: [{ columns: 'reserved_until', where: 'reserved_until IS NOT NULL' }],
  });
  await createGlobalTable(runner, roles, {
    name: 'email_claim',
    primaryKey: ['user_id'],
    role: 'narrow',
    columns: `
      user_id uuid NOT NULL,
      tenant_id uuid NOT NULL,
      email text NOT NULL,
      secret_hash bytea,
      secret_expires_at timestamptz,
      lost_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now()`,
    indexes: ['email, created_at', 'created_at'],
  });
}

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
      mfa_enabled boolean NOT NULL DEFAULT false,
      sign_in_epoch integer NOT NULL DEFAULT 0,
      created_at timestamptz NOT NULL DEFAULT now()`,
    // A row lock asks for UPDATE: of tenant_id, which no policy lets it change.
    narrowInContext: 'INSERT, SELECT (tenant_id, id, email, roles, status), UPDATE (email, tenant_id), DELETE',
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

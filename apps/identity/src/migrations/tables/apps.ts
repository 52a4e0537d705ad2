import { createGlobalTable, type GlobalTableDefinition } from '@crm/database';
import type { QueryRunner } from 'typeorm';
import { createTenantTables, type IdentityTable, roles } from './table.js';

/** What acts for workspaces and users: embed apps and the host users they brought, OAuth clients and grants, API keys. */
export async function createAppTables(runner: QueryRunner): Promise<void> {
  for (const table of CLIENTS) await createGlobalTable(runner, roles, { ...table, role: 'narrow' });
  await createTenantTables(runner, TENANT_TABLES);
}

/** Credentials are presented, and authorization is asked for, before the tenant is known. */
const CLIENTS: readonly Omit<GlobalTableDefinition, 'role'>[] = [
  {
    name: 'embed_client',
    primaryKey: ['client_id'],
    unique: [['app_key']],
    columns: `
      client_id text NOT NULL,
      app_key text NOT NULL,
      tenant_id uuid NOT NULL,
      secret_hash bytea NOT NULL,
      secret_created_at timestamptz NOT NULL DEFAULT now(),
      secret_last_used_at timestamptz,
      previous_secret_hash bytea,
      previous_secret_created_at timestamptz,
      previous_secret_last_used_at timestamptz,
      previous_valid_until timestamptz,
      issued_by uuid NOT NULL,
      previous_issued_by uuid,
      ended_at timestamptz,
      reviewed boolean NOT NULL DEFAULT false,
      allowed_origins text[] NOT NULL,
      development_origins text[] NOT NULL DEFAULT '{}',
      scopes text[] NOT NULL,
      link_users_by text NOT NULL CHECK (link_users_by IN ('email', 'explicit')),
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now()`,
  },
  {
    name: 'oauth_app',
    primaryKey: ['app_key'],
    columns: `
      app_key text NOT NULL,
      redirect_uris text[] NOT NULL DEFAULT '{}',
      status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended', 'revoked')),
      updated_at timestamptz NOT NULL DEFAULT now()`,
  },
  {
    name: 'oauth_installation',
    primaryKey: ['installation_id'],
    unique: [['client_id']],
    columns: `
      installation_id uuid NOT NULL,
      tenant_id uuid NOT NULL,
      client_id text NOT NULL,
      app_key text NOT NULL,
      app_name text NOT NULL,
      publisher text NOT NULL,
      sandbox boolean NOT NULL,
      scopes text[] NOT NULL,
      required_scopes text[] NOT NULL DEFAULT '{}',
      redirect_uris text[] NOT NULL,
      secret_hash bytea,
      secret_created_at timestamptz,
      secret_last_used_at timestamptz,
      previous_secret_hash bytea,
      previous_secret_created_at timestamptz,
      previous_secret_last_used_at timestamptz,
      previous_valid_until timestamptz,
      ended_at timestamptz,
      updated_at timestamptz NOT NULL DEFAULT now()`,
    indexes: ['app_key, tenant_id', { columns: 'ended_at', where: 'ended_at IS NOT NULL' }],
  },
  {
    // Requests belong to no tenant until a user decides on them; codes, grants and refresh tokens name their tenant.
    name: 'oauth_request',
    primaryKey: ['request_hash'],
    columns: `
      request_hash bytea NOT NULL,
      app_key text NOT NULL,
      installation_id uuid,
      redirect_uri text NOT NULL,
      scopes text[],
      state text,
      code_challenge text NOT NULL,
      expires_at timestamptz NOT NULL`,
    indexes: ['expires_at'],
  },
];

/** The narrow role sweeps expired rows of every tenant. */
const TENANT_TABLES: readonly IdentityTable[] = [
  {
    name: 'embed_user',
    primaryKey: ['app_key', 'sub'],
    columns: `
      app_key text NOT NULL,
      sub text NOT NULL,
      user_id uuid NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      linked_at timestamptz NOT NULL DEFAULT now(),
      undo_hash bytea,
      undo_expires_at timestamptz,
      undone_at timestamptz`,
    indexes: ['user_id'],
    narrowInContext: 'SELECT, INSERT, DELETE',
  },
  {
    name: 'oauth_code',
    columns: `
      id uuid NOT NULL,
      code_hash bytea NOT NULL,
      installation_id uuid NOT NULL,
      app_key text NOT NULL,
      app_name text NOT NULL,
      publisher text NOT NULL,
      user_id uuid NOT NULL,
      redirect_uri text NOT NULL,
      scopes text[] NOT NULL,
      code_challenge text NOT NULL,
      valid_until timestamptz NOT NULL,
      used_at timestamptz,
      expires_at timestamptz NOT NULL`,
    references: [{ columns: ['user_id'], table: 'app_user', onDelete: 'cascade' }],
    indexes: [{ columns: 'expires_at', tenantFirst: false }],
    narrow: ['select', 'delete'],
  },
  {
    name: 'oauth_grant',
    columns: `
      id uuid NOT NULL,
      installation_id uuid NOT NULL,
      app_key text NOT NULL,
      app_name text NOT NULL,
      publisher text NOT NULL,
      user_id uuid NOT NULL,
      scopes text[] NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      last_used_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz NOT NULL,
      ends_at timestamptz NOT NULL`,
    references: [{ columns: ['user_id'], table: 'app_user', onDelete: 'cascade' }],
    indexes: ['user_id, id', 'installation_id', { columns: 'expires_at', tenantFirst: false }],
    narrow: ['select', 'delete'],
  },
  {
    name: 'oauth_refresh_token',
    primaryKey: ['grant_id', 'token_hash'],
    columns: `
      grant_id uuid NOT NULL,
      token_hash bytea NOT NULL,
      expires_at timestamptz NOT NULL,
      rotated_at timestamptz,
      sealed_successor bytea`,
    references: [{ columns: ['grant_id'], table: 'oauth_grant', onDelete: 'cascade' }],
    indexes: [{ columns: 'expires_at', tenantFirst: false }],
    narrow: ['select', 'delete'],
  },
  {
    name: 'service_account',
    columns: `
      id uuid NOT NULL,
      name text NOT NULL,
      roles text[] NOT NULL,
      scopes text[] NOT NULL,
      status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled')),
      created_by uuid NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now()`,
  },
  {
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
    narrow: ['select', 'delete'],
  },
];

import { createGlobalTable } from '@crm/database';
import { letNarrowRoleFindTenants } from '@crm/encryption';
import type { QueryRunner } from 'typeorm';
import { createTenantTables, type IdentityTable, roles } from './table.js';

/** How users and operators prove who they are, their sessions, and sign-in at the identity provider of a workspace. */
export async function createSignInTables(runner: QueryRunner): Promise<void> {
  await createTenantTables(runner, [...SIGN_IN, ...SINGLE_SIGN_ON]);
  await letNarrowRoleFindTenants(runner, roles, 'authenticator');
  await letNarrowRoleFindTenants(runner, roles, 'identity_provider');
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
      rotated_at timestamptz,
      sealed_successor bytea,
      of_page boolean NOT NULL DEFAULT false`,
    indexes: ['session_id', 'expires_at'],
  });
  // A session has one at most, and a token for each quarter of an hour that it lived.
  await runner.query(
    'CREATE INDEX refresh_token_sealed_idx ON refresh_token (session_id) WHERE sealed_successor IS NOT NULL',
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

/** The narrow role erases what is a user's in the context of their tenant. */
const SIGN_IN: readonly IdentityTable[] = [
  {
    name: 'session',
    // What is proven by a password or a passkey is proven of the person, what a provider says is not.
    columns: `
      id uuid NOT NULL,
      user_id uuid NOT NULL,
      address text,
      last_address text,
      user_agent text,
      created_at timestamptz NOT NULL DEFAULT now(),
      last_used_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz NOT NULL,
      ends_at timestamptz NOT NULL DEFAULT now() + interval '90 days',
      proven_at timestamptz,
      person_proven boolean NOT NULL DEFAULT false`,
    indexes: ['user_id'],
    narrowInContext: 'SELECT (tenant_id, user_id, id), DELETE',
  },
  {
    name: 'mfa_challenge',
    // A challenge without an epoch counts for accounts of which nothing was ended since; one without a purpose as that of a
    // sign-in by password, which is looked at most closely.
    columns: `
      id uuid NOT NULL,
      user_id uuid NOT NULL,
      method text NOT NULL DEFAULT 'mail' CHECK (method IN ('mail', 'authenticator', 'enrolment', 'passkey')),
      purpose text NOT NULL DEFAULT 'sign-in'
        CHECK (purpose IN ('sign-in', 'single-sign-on', 'switch', 'reauthentication')),
      code_mac bytea,
      secret_hash bytea,
      attempts integer NOT NULL DEFAULT 0,
      sign_in_epoch integer NOT NULL DEFAULT 0,
      authenticated_at timestamptz,
      expires_at timestamptz NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now()`,
    indexes: ['user_id'],
    narrowInContext: 'SELECT (tenant_id, user_id), DELETE',
  },
  {
    name: 'authenticator',
    primaryKey: ['user_id'],
    columns: `
      user_id uuid NOT NULL,
      sealed_secret bytea NOT NULL,
      confirmed_at timestamptz,
      last_step bigint,
      person_proven boolean NOT NULL DEFAULT true,
      created_at timestamptz NOT NULL DEFAULT now()`,
    narrowInContext: 'SELECT (tenant_id, user_id), DELETE',
  },
  {
    name: 'recovery_code',
    primaryKey: ['user_id', 'code_hash'],
    columns: `
      user_id uuid NOT NULL,
      code_hash bytea NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now()`,
    narrowInContext: 'SELECT (tenant_id, user_id), DELETE',
  },
  {
    name: 'code_guess',
    primaryKey: ['user_id', 'place'],
    columns: `
      user_id uuid NOT NULL,
      place text NOT NULL CHECK (place IN ('sign-in', 'session')),
      tries integer NOT NULL,
      last_at timestamptz NOT NULL,
      next_at timestamptz NOT NULL`,
    narrowInContext: 'SELECT (tenant_id, user_id), DELETE',
  },
  {
    name: 'passkey',
    unique: [['credential_id']],
    columns: `
      id uuid NOT NULL,
      user_id uuid NOT NULL,
      credential_id bytea NOT NULL,
      public_key bytea NOT NULL,
      counter bigint NOT NULL,
      backed_up boolean NOT NULL,
      transports text[] NOT NULL,
      name text NOT NULL,
      person_proven boolean NOT NULL DEFAULT false,
      created_at timestamptz NOT NULL DEFAULT now(),
      last_used_at timestamptz`,
    indexes: ['user_id'],
    narrowInContext: 'SELECT (tenant_id, user_id), DELETE',
  },
  {
    name: 'spent_passkey_challenge',
    columns: 'id uuid NOT NULL, expires_at timestamptz NOT NULL',
    indexes: [{ columns: 'expires_at', tenantFirst: false }],
    // The sweeper deletes expired ones.
    narrow: ['select', 'delete'],
  },
  {
    name: 'sign_in_policy',
    primaryKey: [],
    columns: `
      second_factor text NOT NULL CHECK (second_factor IN ('optional', 'required')),
      single_sign_on text NOT NULL DEFAULT 'optional' CHECK (single_sign_on IN ('optional', 'required')),
      local_passwords text CHECK (local_passwords IN ('allowed', 'refused')),
      updated_at timestamptz NOT NULL DEFAULT now()`,
    // It takes domains away, and has to see whether the workspace needs them to sign in.
    narrowInContext: 'SELECT (tenant_id, second_factor, single_sign_on)',
  },
  {
    // Rows of the platform's tenant.
    name: 'operator',
    unique: [['email']],
    columns: `
      id uuid NOT NULL,
      email text NOT NULL,
      name text NOT NULL,
      password_hash text NOT NULL,
      initial_password_until timestamptz,
      role text NOT NULL CHECK (role IN ('administrator', 'reviewer')),
      status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled')),
      linked_tenant_id uuid,
      sign_in_epoch integer NOT NULL DEFAULT 0,
      created_at timestamptz NOT NULL DEFAULT now()`,
  },
];

const SINGLE_SIGN_ON: readonly IdentityTable[] = [
  {
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
      last_failure jsonb,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now()`,
  },
  {
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
      fresh boolean NOT NULL DEFAULT false,
      session_id uuid,
      sign_in_epoch integer NOT NULL DEFAULT 0,
      authenticated_at timestamptz,
      expires_at timestamptz NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now()`,
    indexes: [
      { columns: 'expires_at', tenantFirst: false },
      { columns: 'user_id', where: 'user_id IS NOT NULL' },
    ],
    // The sweeper deletes expired ones of every tenant.
    narrow: ['select', 'delete'],
  },
  {
    name: 'provider_link',
    primaryKey: ['issuer', 'sub'],
    columns: `
      issuer text NOT NULL,
      sub text NOT NULL,
      user_id uuid NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now()`,
    indexes: ['user_id'],
    // Written together with the user and the address.
    narrowInContext: 'SELECT, INSERT, DELETE',
  },
  {
    // Whom a provider presents with the address of somebody else waits for an owner.
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
  {
    name: 'mail_domain',
    primaryKey: ['domain'],
    columns: `
      domain text NOT NULL,
      token text NOT NULL,
      verified_at timestamptz,
      missing_since timestamptz,
      created_at timestamptz NOT NULL DEFAULT now()`,
    // A domain is given to a tenant and taken away together with its row in verified_domain.
    narrowInContext: 'SELECT, DELETE, UPDATE (verified_at, missing_since)',
  },
];

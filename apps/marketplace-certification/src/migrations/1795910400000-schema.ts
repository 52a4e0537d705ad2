import { DATABASES } from '@crm/contracts';
import {
  createGlobalTable,
  createIdempotencyTable,
  createOutboxTable,
  createQuotaTable,
  createTenantTable,
  ServiceMigration,
} from '@crm/database';
import { createEncryptionKeyTable } from '@crm/encryption';
import { createOperatorAuditTable } from '@crm/operator-audit';
import type { QueryRunner } from 'typeorm';

const roles = DATABASES['marketplace-certification'];

/**
 * The schema of the first release. Packages and certifications are `json`: they are kept as submitted and never searched, and `jsonb` refuses
 * the escape \u0000 that a valid JSON document may hold.
 */
export class Schema1795910400000 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createCatalogue(runner);
    await createInstallations(runner);
    await createOutboxTable(runner, roles);
    // A submission is global, and the narrow role writes it.
    await createIdempotencyTable(runner, roles, { narrowCreates: true });
    await createQuotaTable(runner, roles);
    await createEncryptionKeyTable(runner, roles);
    await createOperatorAuditTable(runner, roles, 'narrow');
  }
}

/** What every tenant, or every operator, looks at: reached by the narrow role only, install counts excepted. */
async function createCatalogue(runner: QueryRunner): Promise<void> {
  await createGlobalTable(runner, roles, {
    name: 'app',
    role: 'narrow',
    columns: `
      key text not null,
      tenant_id uuid not null,
      publisher_name text not null,
      name text not null,
      kind text not null,
      summary text,
      visibility text not null default 'public' check (visibility in ('public', 'unlisted', 'private')),
      search_text text not null default '',
      published_version_id uuid,
      first_published_at timestamptz,
      rating_count integer not null default 0,
      rating_total bigint not null default 0,
      created_at timestamptz not null default now(),
      unlisted_by_operator boolean not null default false`,
    primaryKey: ['key'],
    indexes: [
      'tenant_id',
      { columns: 'name, key', where: "published_version_id is not null and visibility = 'public'" },
    ],
  });
  await createGlobalTable(runner, roles, {
    name: 'app_version',
    role: 'narrow',
    columns: `
      id uuid not null,
      app_key text not null references app (key),
      tenant_id uuid not null,
      version text not null,
      name text not null,
      kind text not null,
      manifest json not null,
      manifest_sha256 text not null,
      review_packet json not null,
      certification json not null,
      status text not null,
      submitted_by uuid not null,
      submitted_at timestamptz not null default now(),
      claimed_by text,
      verdict text,
      published_at timestamptz,
      claimed_until timestamptz`,
    primaryKey: ['id'],
    unique: [['app_key', 'version']],
    indexes: [{ columns: 'status, submitted_at, id' }],
  });
  await runner.query(
    `create unique index app_version_one_published on app_version (app_key) where status = 'published'`,
  );
  await createGlobalTable(runner, roles, {
    name: 'submission_audit',
    role: 'narrow',
    columns: `
      id uuid not null,
      submission_id uuid not null references app_version (id),
      at timestamptz not null default now(),
      actor_kind text not null check (actor_kind in ('developer', 'operator', 'system')),
      actor_id text not null,
      action text not null,
      from_status text not null,
      to_status text not null,
      reason text`,
    primaryKey: ['id'],
    // What happened to a submission is never rewritten.
    grants: ['select', 'insert'],
    indexes: ['submission_id, at'],
  });
  await createGlobalTable(runner, roles, {
    name: 'rating',
    role: 'narrow',
    columns: `
      app_key text not null references app (key),
      tenant_id uuid not null,
      user_id uuid not null,
      stars smallint not null check (stars between 1 and 5),
      text text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()`,
    primaryKey: ['app_key', 'tenant_id', 'user_id'],
    indexes: ['app_key, updated_at'],
  });
  await createGlobalTable(runner, roles, {
    name: 'app_webhook_secret',
    role: 'narrow',
    columns: `
      app_key text not null references app (key),
      sealed bytea not null,
      created_at timestamptz not null default now(),
      rotated_at timestamptz`,
    primaryKey: ['app_key'],
  });
  await createGlobalTable(runner, roles, {
    name: 'install_count',
    role: 'runtime',
    columns: `
      app_key text not null,
      installs bigint not null default 0 check (installs >= 0)`,
    primaryKey: ['app_key'],
  });
  await createGlobalTable(runner, roles, {
    name: 'client_status',
    role: 'narrow',
    columns: `
      app_key text not null,
      status text check (status in ('active', 'suspended', 'revoked')),
      decided_at timestamptz not null,
      settings_changed boolean not null default false`,
    primaryKey: ['app_key'],
    indexes: ['decided_at'],
  });
}

async function createInstallations(runner: QueryRunner): Promise<void> {
  await createTenantTable(runner, roles, {
    name: 'certification',
    columns: `
      id uuid not null,
      app_key text,
      version text,
      mode text not null check (mode in ('certification', 'submission')),
      manifest_sha256 text,
      passed boolean not null,
      result json not null,
      created_by uuid not null,
      created_at timestamptz not null default now()`,
    indexes: ['created_at'],
  });
  await createTenantTable(runner, roles, {
    name: 'installation',
    columns: `
      id uuid not null,
      app_key text not null,
      version_id uuid not null,
      version text not null,
      sandbox boolean not null,
      state text not null
        check (state in ('installing', 'active', 'compensating', 'failed', 'uninstalling', 'uninstalled')),
      granted_scopes text[] not null,
      objects jsonb not null default '[]',
      hooks jsonb not null default '[]',
      subscriptions jsonb not null default '[]',
      failure jsonb,
      created_by uuid not null,
      notices jsonb not null default '[]',
      acting_user_id uuid,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()`,
    indexes: [
      'created_at',
      'app_key',
      {
        columns: 'app_key',
        where: "state in ('installing', 'active', 'compensating', 'uninstalling')",
        tenantFirst: false,
      },
    ],
  });
  // Counting the installations of an app crosses tenants. These columns say nothing about what an installation has.
  await runner.query(
    `grant select (tenant_id, id, app_key, version_id, state, sandbox) on installation to ${roles.narrowRole}`,
  );
  await runner.query(`create policy narrow_select on installation for select to ${roles.narrowRole} using (true)`);
  // One installation of an app in a tenant, whatever two administrators ask for at the same moment. One that is still
  // being undone counts: its objects may still hold their names.
  await runner.query(
    `create unique index installation_live on installation (tenant_id, app_key)
      where not sandbox and state in ('installing', 'active', 'compensating', 'uninstalling')`,
  );
  await createTenantTable(runner, roles, {
    name: 'installation_step',
    columns: `
      installation_id uuid not null,
      position smallint not null,
      name text not null check (name in ('objects', 'workflows', 'subscriptions', 'authorization')),
      state text not null default 'pending' check (state in ('pending', 'running', 'done', 'failed', 'undone')),
      unsettled boolean not null default false,
      error jsonb,
      updated_at timestamptz not null default now()`,
    references: [{ columns: ['installation_id'], table: 'installation' }],
    primaryKey: ['installation_id', 'position'],
  });
  // What still has to be done. The narrow role looks over all tenants for work that is due; the rest of it happens in
  // the tenant's own transaction.
  await createTenantTable(runner, roles, {
    name: 'installation_work',
    columns: `
      installation_id uuid not null,
      due_at timestamptz not null default now(),
      attempts integer not null default 0,
      lease_token uuid,
      lease_until timestamptz`,
    references: [{ columns: ['installation_id'], table: 'installation' }],
    primaryKey: ['installation_id'],
    narrow: ['select', 'update'],
    indexes: [{ columns: 'due_at', tenantFirst: false }],
  });
  await createTenantTable(runner, roles, {
    name: 'install_audit',
    columns: `
      id uuid not null,
      installation_id uuid not null,
      at timestamptz not null default now(),
      user_id uuid not null,
      action text not null
        check (action in ('install_requested', 'uninstall_requested', 'hook_urls_shown'))`,
    references: [{ columns: ['installation_id'], table: 'installation' }],
    indexes: ['installation_id, at'],
  });
}

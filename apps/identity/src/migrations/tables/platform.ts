import {
  createGlobalTable,
  createIdempotencyTable,
  createInboxTable,
  createOutboxTable,
  createQuotaTable,
  createTenantTable,
} from '@crm/database';
import { createEncryptionKeyTable } from '@crm/encryption';
import { createOperatorAuditTable } from '@crm/operator-audit';
import type { QueryRunner } from 'typeorm';
import { createTenantTables, roles } from './table.js';

/** Signing keys, cut-offs, the audit trails, and the tables of the libraries. */
export async function createPlatformTables(runner: QueryRunner): Promise<void> {
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
  await createCutoffTables(runner);
  await createAuditTable(runner);
  // For the runtime role: the plan of a tenant is set in the context of that tenant.
  await createOperatorAuditTable(runner, roles, 'runtime');
  await createEncryptionKeyTable(runner, roles);
  await createOutboxTable(runner, roles);
  await createInboxTable(runner, roles);
  await createIdempotencyTable(runner, roles, { narrowCreates: true });
  await createQuotaTable(runner, roles, { narrowTakes: true, narrowReads: true });
  // Operators see the conflicts of embed apps in it.
  await runner.query(`CREATE INDEX ON quota_use (resets_at) WHERE starts_with(name, 'embed-conflict:')`);
}

const TENANT_CUTOFFS =
  "'user', 'session', 'grant', 'app', 'tenant', 'installation', 'embedding', 'suspension', 'reinstatement', 'revoked_app'";

async function createCutoffTables(runner: QueryRunner): Promise<void> {
  await createTenantTables(runner, [
    {
      // Cut-offs wait here, in the transaction of the change that causes them, until they are collected and published.
      name: 'pending_cutoff',
      primaryKey: ['kind', 'id'],
      columns: `
        kind text NOT NULL CHECK (kind IN (${TENANT_CUTOFFS})),
        id text NOT NULL,
        cutoff_ms bigint NOT NULL`,
      narrow: ['select', 'delete'],
      narrowInContext: 'INSERT, UPDATE',
    },
  ]);
  await createGlobalTable(runner, roles, {
    name: 'revocation_cutoff',
    primaryKey: ['kind', 'id'],
    role: 'narrow',
    columns: `
      kind text NOT NULL CHECK (kind IN (${TENANT_CUTOFFS}, 'signing_key')),
      id text NOT NULL,
      cutoff_ms bigint NOT NULL,
      expires_at timestamptz NOT NULL,
      published boolean NOT NULL DEFAULT false`,
    indexes: [{ columns: 'cutoff_ms', where: 'NOT published' }],
  });
}

/** Whatever a configuration says, no role of the service can remove an entry of the audit trail that is younger. */
const LEAST_DAYS = 30;

/**
 * Not in partitions by day: with a retention of 400 days every page of a workspace's trail would be planned over 400 of
 * them (decision 0205). The ids are in the order of time, and so is the table.
 */
async function createAuditTable(runner: QueryRunner): Promise<void> {
  await createTenantTable(runner, roles, {
    name: 'audit_entry',
    columns: `
      id uuid NOT NULL,
      at timestamptz NOT NULL,
      action text NOT NULL CHECK (action ~ '^[a-z_]+\\.[a-z_]+$'),
      outcome text NOT NULL CHECK (outcome IN ('success', 'failure')),
      actor_kind text NOT NULL CHECK (actor_kind IN ('user', 'service_account', 'operator', 'app', 'system')),
      actor_id text,
      subject_kind text,
      subject_id text,
      address text,
      device text,
      request_id text,
      detail jsonb NOT NULL CHECK (octet_length(detail::text) <= 100000)`,
    indexes: ['actor_id, id', 'subject_id, id', 'action, id', { columns: 'at', tenantFirst: false }],
    grants: ['select', 'insert'],
  });
  // The narrow role adds entries in the context of a tenant. For the retention it sees of the others' which ones there are,
  // and removes what is old: the restrictive policy binds it in every context.
  const old = `at < now() - interval '${LEAST_DAYS} days'`;
  await runner.query(`GRANT INSERT, SELECT (tenant_id, id, at), DELETE ON audit_entry TO ${roles.narrowRole}`);
  await runner.query(`CREATE POLICY narrow_select ON audit_entry FOR SELECT TO ${roles.narrowRole} USING (${old})`);
  await runner.query(`CREATE POLICY narrow_delete ON audit_entry FOR DELETE TO ${roles.narrowRole} USING (${old})`);
  await runner.query(
    `CREATE POLICY narrow_deletes_old ON audit_entry AS RESTRICTIVE FOR DELETE TO ${roles.narrowRole} USING (${old})`,
  );
}

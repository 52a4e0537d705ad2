import { PLATFORM_TENANT, type ServiceDatabase } from '@crm/contracts';
import { createGlobalTable } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/**
 * Nobody but the owner, as whom no service connects, can change or remove an entry; its id has its time. The runtime
 * role adds in the context of any tenant and reads in that of the platform's own.
 */
export async function createOperatorAuditTable(
  runner: QueryRunner,
  roles: ServiceDatabase,
  role: 'narrow' | 'runtime',
): Promise<void> {
  await createGlobalTable(runner, roles, {
    name: 'operator_audit',
    role,
    columns: `
      id uuid NOT NULL,
      operator_id uuid,
      role text,
      act text NOT NULL,
      subject_kind text NOT NULL,
      subject_id text NOT NULL,
      subject_name text,
      reason text,
      findings jsonb,
      state_before jsonb,
      state_after jsonb`,
    primaryKey: ['id'],
    grants: ['select', 'insert'],
    indexes: ['operator_id, id', 'subject_kind, subject_id, id', 'act, id'],
  });
  if (role === 'narrow') return;
  await runner.query(`ALTER POLICY runtime_select ON operator_audit
    USING (NULLIF(current_setting('app.tenant_id', true), '')::uuid = '${PLATFORM_TENANT}')`);
}

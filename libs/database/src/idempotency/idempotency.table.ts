import type { ServiceDatabase } from '@crm/contracts';
import type { QueryRunner } from 'typeorm';
import { createTenantTable } from '../migrations/tables.js';

/**
 * Creates the table `idempotency`: which record a creating call created, so that a repetition finds it. It stores neither
 * body nor answer.
 * @param options.narrowCreates for services that create records as the narrow role, in the context of a tenant
 *   (`inWorkspace`)
 */
export async function createIdempotencyTable(
  runner: QueryRunner,
  roles: ServiceDatabase,
  options: { narrowCreates?: boolean } = {},
): Promise<void> {
  await createTenantTable(runner, roles, {
    name: 'idempotency',
    columns: `
      principal_id text NOT NULL,
      route text NOT NULL,
      key text NOT NULL,
      body_hash bytea NOT NULL,
      record_id uuid NOT NULL,
      expires_at timestamptz NOT NULL`,
    primaryKey: ['principal_id', 'route', 'key'],
    indexes: [{ columns: 'expires_at', tenantFirst: false }],
    grants: ['select', 'insert', 'update'],
    // The sweeper removes expired rows of every tenant.
    narrow: ['select', 'delete'],
  });
  // No separate policy: like every role, the narrow role writes rows of the tenant in context only.
  if (options.narrowCreates) await runner.query(`GRANT INSERT, UPDATE ON idempotency TO ${roles.narrowRole}`);
}

import type { ServiceDatabase } from '@crm/contracts';
import { createTenantTable } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/**
 * Makes the table `idempotency`: which record a creating call made, so that the same call again finds it. No body and no
 * answer is kept.
 * @param options.narrowCreates for services that create things as the narrow role, in the context of a tenant
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
    // Expired rows of every tenant are swept.
    narrow: ['select', 'delete'],
  });
  // Granted, but opened by no policy of its own: it writes rows of the tenant in context only, like everybody.
  if (options.narrowCreates) await runner.query(`GRANT INSERT, UPDATE ON idempotency TO ${roles.narrowRole}`);
}

import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';
import { createTenantTables } from './tables/table.js';

const BUILT_IN = `'{owner,admin,member,viewer}'::text[]`;

/** Roles that workspaces make. What users, service accounts and providers have, and is not built in, is a role of their workspace from now on. */
export class WorkspaceRoles1795800011800 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createTenantTables(runner, [
      {
        name: 'workspace_role',
        primaryKey: ['name'],
        columns: 'name text NOT NULL, label text NOT NULL, created_at timestamptz NOT NULL DEFAULT now()',
        // A row lock asks for UPDATE: of tenant_id, which no policy lets it change.
        narrowInContext: 'SELECT (tenant_id, name), UPDATE (tenant_id)',
      },
    ]);
    // Few users have a role that is not built in.
    await runner.query(`CREATE INDEX app_user_added_roles_idx ON app_user (tenant_id) WHERE NOT roles <@ ${BUILT_IN}`);
    // The policies of the owner admit no rows.
    const tables = ['app_user', 'service_account', 'identity_provider', 'workspace_role'];
    for (const table of tables) await runner.query(`ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`);
    await runner.query(`
      INSERT INTO workspace_role (tenant_id, name, label)
      SELECT DISTINCT tenant_id, name, name FROM (
        SELECT tenant_id, unnest(roles) AS name FROM app_user WHERE email NOT LIKE '%@invalid'
         UNION ALL SELECT tenant_id, unnest(roles) FROM service_account
         UNION ALL SELECT tenant_id, unnest(default_roles) FROM identity_provider) AS held
       WHERE name <> ALL (${BUILT_IN})`);
    for (const table of tables) await runner.query(`ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`);
  }
}

import { DATABASES } from '@crm/contracts';
import { createGlobalTable, createInboxTable, createTenantTable, ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/**
 * Workflows, hooks and runs. JSON that others wrote is kept as `json`, not `jsonb`: it comes back as it was sent, and
 * `jsonb` refuses the escape of U+0000, which is valid JSON.
 */
export class Automations1795219200101 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    const roles = DATABASES['automation-hooks'];

    await createTenantTable(runner, roles, {
      name: 'workflow',
      columns: `
        id uuid NOT NULL,
        version integer NOT NULL DEFAULT 1,
        name text NOT NULL,
        definition json NOT NULL,
        trigger_type text NOT NULL,
        event_name text,
        enabled boolean NOT NULL DEFAULT true,
        author_id uuid NOT NULL,
        installation_id uuid,
        automation_key text,
        app_key text,
        granted_scopes text[],
        object_names json NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now()`,
      unique: [['installation_id', 'automation_key']],
      indexes: [{ columns: 'event_name', where: 'enabled AND event_name IS NOT NULL' }],
    });

    await createTenantTable(runner, roles, {
      name: 'hook_secret',
      columns: 'workflow_id uuid NOT NULL, sealed bytea NOT NULL',
      primaryKey: ['workflow_id'],
      references: [{ columns: ['workflow_id'], table: 'workflow', onDelete: 'cascade' }],
      grants: ['select', 'insert', 'delete'],
    });

    await createGlobalTable(runner, roles, {
      name: 'hook',
      columns: 'workflow_id uuid NOT NULL, tenant_id uuid NOT NULL, secret_hash bytea NOT NULL',
      primaryKey: ['workflow_id'],
      role: 'narrow',
      grants: ['select', 'insert', 'delete'],
    });
    // A workflow may be given a hook again, over the row that a failed or an earlier one left: its hash changes, its tenant
    // never does.
    await runner.query(`GRANT update (secret_hash) ON hook TO ${roles.narrowRole}`);
    await runner.query(
      `CREATE POLICY narrow_update ON hook FOR update TO ${roles.narrowRole} USING (true) WITH CHECK (true)`,
    );

    await createTenantTable(runner, roles, {
      name: 'run',
      columns: `
        id uuid NOT NULL,
        workflow_id uuid NOT NULL,
        event_id uuid,
        depth integer NOT NULL DEFAULT 0,
        input json NOT NULL,
        status text NOT NULL,
        error_code text,
        error_detail text,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        started_at timestamptz(3),
        finished_at timestamptz(3)`,
      indexes: ['workflow_id, id', 'status, id'],
      grants: ['select', 'insert', 'update'],
      partitionedBy: 'id',
    });

    await createTenantTable(runner, roles, {
      name: 'run_step',
      columns: `
        run_id uuid NOT NULL,
        position integer NOT NULL,
        key text NOT NULL,
        type text NOT NULL,
        status text NOT NULL,
        attempts integer NOT NULL DEFAULT 0,
        due_at timestamptz(3),
        output json,
        error_code text,
        error_detail text,
        updated_at timestamptz(3) NOT NULL DEFAULT now()`,
      primaryKey: ['run_id', 'position'],
      grants: ['select', 'insert', 'update'],
      partitionedBy: 'run_id',
      arrival: 'updated_at',
    });

    // What is to be worked on, for all tenants: the narrow role claims, everything else happens in the tenant's context.
    await createTenantTable(runner, roles, {
      name: 'run_queue',
      columns: 'run_id uuid NOT NULL, due_at timestamptz NOT NULL DEFAULT now(), claim_id uuid',
      primaryKey: ['run_id'],
      indexes: [{ columns: 'due_at', tenantFirst: false }],
      narrow: ['select', 'update'],
    });

    await createInboxTable(runner, roles);
  }
}

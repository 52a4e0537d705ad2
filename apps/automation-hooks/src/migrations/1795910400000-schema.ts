import { DATABASES } from '@crm/contracts';
import {
  createErasedRecordTable,
  createGlobalTable,
  createInboxTable,
  createTenantTable,
  runSql,
  ServiceMigration,
} from '@crm/database';
import { createEncryptionKeyTable, letNarrowRoleFindTenants } from '@crm/encryption';
import type { QueryRunner } from 'typeorm';

const roles = DATABASES['automation-hooks'];

/**
 * The schema of the first release: workflows, hooks and runs. JSON that others wrote is kept as `json`, not `jsonb`: it comes back as it was sent, and
 * `jsonb` refuses the escape of U+0000, which is valid JSON.
 */
export class Schema1795910400000 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createTenantTable(runner, roles, {
      name: 'workflow',
      columns: `
        id uuid NOT NULL,
        version integer NOT NULL DEFAULT 1,
        name text NOT NULL,
        definition json NOT NULL,
        definition_version integer NOT NULL DEFAULT 1,
        trigger_type text NOT NULL,
        event_name text,
        enabled boolean NOT NULL DEFAULT true,
        author_id uuid NOT NULL,
        installation_id uuid,
        automation_key text,
        app_key text,
        sandbox boolean NOT NULL DEFAULT false,
        granted_scopes text[],
        object_names json NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now()`,
      unique: [['installation_id', 'automation_key']],
      indexes: [{ columns: 'event_name', where: 'enabled AND event_name IS NOT NULL' }],
    });
    // A hook call is verified and stored by one statement of the narrow role. It may not read what a workflow does.
    await runner.query(
      `GRANT select (tenant_id, id, definition_version, trigger_type, enabled, app_key) ON workflow TO ${roles.narrowRole}`,
    );
    await runner.query(`CREATE POLICY narrow_select ON workflow FOR select TO ${roles.narrowRole} USING (true)`);

    // What a workflow did before its definition was replaced, for runs that were accepted then.
    await createTenantTable(runner, roles, {
      name: 'workflow_version',
      columns: `
        workflow_id uuid NOT NULL,
        version integer NOT NULL,
        definition json NOT NULL,
        object_names json NOT NULL,
        replaced_at timestamptz NOT NULL DEFAULT now()`,
      primaryKey: ['workflow_id', 'version'],
      references: [{ columns: ['workflow_id'], table: 'workflow', onDelete: 'cascade' }],
      indexes: [{ columns: 'replaced_at', tenantFirst: false }],
      grants: ['select', 'insert'],
      narrow: ['select', 'delete'],
    });

    // Without a reference to the workflow: a call that is accepted while its workflow is deleted must not fail.
    await createTenantTable(runner, roles, {
      name: 'workflow_rate',
      // A rate that was set in the future, by a clock that was ahead, is over.
      columns: `
        workflow_id uuid NOT NULL,
        next_at timestamptz NOT NULL,
        granted integer NOT NULL,
        set_at timestamptz NOT NULL DEFAULT now()`,
      primaryKey: ['workflow_id'],
      grants: ['select', 'insert', 'update', 'delete'],
      narrow: ['select', 'insert', 'update'],
      // Each start writes its row anew: room in the page keeps the new row beside the old one, and the index as it is.
      storage: 'fillfactor = 50',
    });

    await createTenantTable(runner, roles, {
      name: 'hook_secret',
      columns: 'workflow_id uuid NOT NULL, sealed bytea NOT NULL',
      primaryKey: ['workflow_id'],
      references: [{ columns: ['workflow_id'], table: 'workflow', onDelete: 'cascade' }],
      grants: ['select', 'insert', 'delete'],
    });
    // Which encryption keys have sealed in this database, and what sealing again needs.
    await createEncryptionKeyTable(runner, roles);
    await letNarrowRoleFindTenants(runner, roles, 'hook_secret');
    await runner.query(`GRANT UPDATE (sealed) ON hook_secret TO ${roles.runtimeRole}`);
    // A secret is replaced by one transaction in both tables, so that the URL that administrators are shown is never a dead one.
    // The narrow role may overwrite what is sealed, and not read it.
    await runner.query(`GRANT select (workflow_id), update (sealed) ON hook_secret TO ${roles.narrowRole}`);
    await runner.query(
      `CREATE POLICY narrow_update ON hook_secret FOR update TO ${roles.narrowRole} USING (true) WITH CHECK (true)`,
    );

    await createGlobalTable(runner, roles, {
      name: 'hook',
      columns: `
        workflow_id uuid NOT NULL,
        tenant_id uuid NOT NULL,
        secret_hash bytea NOT NULL,
        secret_created_at timestamptz NOT NULL DEFAULT now(),
        secret_last_used_at timestamptz,
        previous_secret_hash bytea,
        previous_secret_created_at timestamptz,
        previous_secret_last_used_at timestamptz,
        previous_valid_until timestamptz`,
      primaryKey: ['workflow_id'],
      role: 'narrow',
      grants: ['select', 'insert', 'delete'],
      // Calls pass it, and its changes look at what they change, which a table with copies does not allow.
      onCoordinator: true,
    });
    // A workflow may be given a hook again, over the row that a failed or an earlier one left: its secrets change, its tenant
    // never does.
    await runner.query(`
      GRANT update (secret_hash, secret_created_at, secret_last_used_at, previous_secret_hash, previous_secret_created_at,
        previous_secret_last_used_at, previous_valid_until) ON hook TO ${roles.narrowRole}`);
    await runner.query(
      `CREATE POLICY narrow_update ON hook FOR update TO ${roles.narrowRole} USING (true) WITH CHECK (true)`,
    );

    await createTenantTable(runner, roles, {
      name: 'run',
      columns: `
        id uuid NOT NULL,
        workflow_id uuid NOT NULL,
        workflow_version integer NOT NULL,
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
      narrow: ['insert'],
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

    // What is to be worked on, for all tenants: the narrow role queues the runs of hook calls and claims, everything else
    // happens in the tenant's context. `claims` counts those since the last outcome.
    await createTenantTable(runner, roles, {
      name: 'run_queue',
      columns: `
        run_id uuid NOT NULL,
        workflow_id uuid NOT NULL,
        due_at timestamptz NOT NULL DEFAULT now(),
        claim_id uuid,
        claims integer NOT NULL DEFAULT 0,
        waits boolean NOT NULL DEFAULT false,
        traceparent text`,
      primaryKey: ['run_id'],
      narrow: ['select', 'insert', 'update'],
    });

    // A run is in one of two indexes: those that wait for a time, a lease included, and those that a worker may take.
    await runner.query('CREATE INDEX run_queue_waits_due_at_idx ON run_queue (due_at) WHERE waits');
    await runner.query('CREATE INDEX run_queue_tenant_id_due_at_idx ON run_queue (tenant_id, due_at) WHERE NOT waits');

    // Events of a tenant with too many runs wait.
    await createTenantTable(runner, roles, {
      name: 'waiting_event',
      columns: 'event_id uuid NOT NULL, event json NOT NULL, created_at timestamptz NOT NULL DEFAULT now()',
      primaryKey: ['event_id'],
    });
    await letNarrowRoleFindTenants(runner, roles, 'waiting_event');

    // Which run a call with a key started, so that its repetition finds it.
    await createTenantTable(runner, roles, {
      name: 'hook_call_key',
      columns: `
        workflow_id uuid NOT NULL,
        key_hash bytea NOT NULL,
        run_id uuid NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()`,
      primaryKey: ['workflow_id', 'key_hash'],
      indexes: [{ columns: 'created_at', tenantFirst: false }],
      // On a cluster hook calls are stored in the context of their tenant.
      grants: ['select', 'insert', 'update'],
      narrow: ['select', 'insert', 'update', 'delete'],
    });

    await createInboxTable(runner, roles);
    await createErasedRecordTable(runner, roles);
    await runSql(runner, new URL('./runs.sql', import.meta.url));
  }
}

import { DATABASES } from '@crm/contracts';
import { createTenantTable, ServiceMigration } from '@crm/database';
import { letNarrowRoleFindTenants } from '@crm/encryption';
import type { QueryRunner } from 'typeorm';

const roles = DATABASES['automation-hooks'];

/** Runs are claimed tenant by tenant, and events of a tenant with too many of them wait. */
export class FairRunQueue1795800001202 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    // A run is in one of two indexes: those that wait for a time, a lease included, and those that a worker may take.
    await runner.query('ALTER TABLE run_queue ADD COLUMN waits boolean NOT NULL DEFAULT false');
    await runner.query('CREATE INDEX run_queue_waits_due_at_idx ON run_queue (due_at) WHERE waits');
    await runner.query('CREATE INDEX run_queue_tenant_id_due_at_idx ON run_queue (tenant_id, due_at) WHERE NOT waits');
    await runner.query('DROP INDEX run_queue_due_at_idx');

    await createTenantTable(runner, roles, {
      name: 'waiting_event',
      columns: 'event_id uuid NOT NULL, event json NOT NULL, created_at timestamptz NOT NULL DEFAULT now()',
      primaryKey: ['event_id'],
    });
    await letNarrowRoleFindTenants(runner, roles, 'waiting_event');
  }
}

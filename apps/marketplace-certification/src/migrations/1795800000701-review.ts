import { DATABASES } from '@crm/contracts';
import { ServiceMigration } from '@crm/database';
import { createOperatorAuditTable } from '@crm/operator-audit';
import type { QueryRunner } from 'typeorm';

const roles = DATABASES['marketplace-certification'];

/** Claims that lapse, the trail of operators, and what shows them how much depends on an app. */
export class Review1795800000701 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    // A claim from before has no end, so it has lapsed: whoever wants to go on claims again.
    await runner.query(`alter table app_version add column claimed_until timestamptz`);
    await createOperatorAuditTable(runner, roles, 'narrow');
    // What happened to a submission is never rewritten either.
    await runner.query(`revoke update, delete on submission_audit from ${roles.narrowRole}`);
    await runner.query(`drop policy narrow_update on submission_audit`);
    await runner.query(`drop policy narrow_delete on submission_audit`);
    // Counting the installations of an app crosses tenants. These columns say nothing about what an installation has.
    await runner.query(`grant select (tenant_id, app_key, state, sandbox) on installation to ${roles.narrowRole}`);
    await runner.query(`create policy narrow_select on installation for select to ${roles.narrowRole} using (true)`);
    await runner.query(`create index on installation (app_key) where state in
      ('installing', 'active', 'compensating', 'uninstalling')`);
  }
}

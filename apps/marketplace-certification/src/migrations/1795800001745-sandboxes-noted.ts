import { DATABASES } from '@crm/contracts';
import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/** webhook-dispatcher and automation-hooks are told of the sandboxes that were installed before they asked. */
export class SandboxesNoted1795800001745 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE installation ADD COLUMN sandbox_noted boolean NOT NULL DEFAULT true');
    // The policies of the owner admit no rows.
    await runner.query('ALTER TABLE installation NO FORCE ROW LEVEL SECURITY');
    await runner.query("UPDATE installation SET sandbox_noted = false WHERE sandbox AND state = 'active'");
    await runner.query('ALTER TABLE installation FORCE ROW LEVEL SECURITY');
    await runner.query('CREATE INDEX installation_unnoted ON installation (tenant_id) WHERE NOT sandbox_noted');
    const { narrowRole } = DATABASES['marketplace-certification'];
    await runner.query(`GRANT SELECT (sandbox_noted) ON installation TO ${narrowRole}`);
  }
}

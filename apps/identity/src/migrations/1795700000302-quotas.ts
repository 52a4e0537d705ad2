import { DATABASES } from '@crm/contracts';
import { createQuotaTable, ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/** What tenants have used of their quotas; operators see the conflicts of embed apps in it. */
export class Quotas1795700000302 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createQuotaTable(runner, DATABASES.identity, { narrowTakes: true, narrowReads: true });
    await runner.query(`CREATE INDEX ON quota_use (resets_at) WHERE starts_with(name, 'embed-conflict:')`);
  }
}

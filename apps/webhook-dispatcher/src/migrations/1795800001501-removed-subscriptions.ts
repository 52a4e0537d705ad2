import { DATABASES } from '@crm/contracts';
import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

const { narrowRole } = DATABASES['webhook-dispatcher'];

/** Subscriptions of removed installations stay in their table until the app has been told, instead of in one beside it. */
export class RemovedSubscriptions1795800001501 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE webhook_subscription ADD COLUMN removed_at timestamptz,
        ADD CHECK (removed_at IS NULL OR installation_id IS NOT NULL)`);
    const tables = ['webhook_subscription', 'removed_subscription'];
    // The owner is bound by the policies of the tables too, which show it no row without a tenant.
    for (const table of tables) await runner.query(`ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`);
    await runner.query(`
      INSERT INTO webhook_subscription
        (tenant_id, id, installation_id, app_key, url, events, created_by, created_at, removed_at)
      SELECT tenant_id, id, installation_id, app_key, url, ARRAY['app.uninstalled'],
             '00000000-0000-0000-0000-000000000000', removed_at, removed_at FROM removed_subscription`);
    await runner.query('ALTER TABLE webhook_subscription FORCE ROW LEVEL SECURITY');
    await runner.query('DROP TABLE removed_subscription');
    await runner.query('CREATE INDEX ON webhook_subscription (removed_at) WHERE removed_at IS NOT NULL');
    // Purging goes over all tenants, and reaches nothing that is not removed.
    await runner.query(
      `GRANT SELECT (id, installation_id, removed_at), DELETE ON webhook_subscription TO ${narrowRole}`,
    );
    await runner.query(
      `CREATE POLICY narrow_delete ON webhook_subscription FOR delete TO ${narrowRole} USING (removed_at IS NOT NULL)`,
    );
  }
}

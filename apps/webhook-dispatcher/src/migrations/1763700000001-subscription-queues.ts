import { DATABASES } from '@crm/contracts';
import { createTenantTable } from '@crm/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const roles = DATABASES['webhook-dispatcher'];

/**
 * Due deliveries are found by their subscription, so that the backlog of a paused one is not read. The sweeper creates the
 * queues of deliveries that already exist, because the owner of the tables sees no rows of tenants.
 */
export class SubscriptionQueues1763700000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createTenantTable(runner, roles, {
      name: 'subscription_queue',
      columns: `
        subscription_id uuid NOT NULL,
        due_at timestamptz NOT NULL`,
      primaryKey: ['subscription_id'],
      indexes: [{ columns: 'due_at', tenantFirst: false }],
      grants: ['select', 'insert', 'update'],
      narrow: ['select', 'insert', 'update', 'delete'],
    });
    await runner.query(
      'CREATE INDEX ON delivery (tenant_id, subscription_id, next_attempt_at) WHERE next_attempt_at IS NOT NULL',
    );
    await runner.query('DROP INDEX delivery_next_attempt_at_idx');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX ON delivery (next_attempt_at) WHERE next_attempt_at IS NOT NULL');
    await runner.query('DROP INDEX delivery_tenant_id_subscription_id_next_attempt_at_idx');
    await runner.query('DROP TABLE subscription_queue');
  }
}

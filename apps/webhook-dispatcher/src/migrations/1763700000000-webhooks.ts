import { DATABASES } from '@crm/contracts';
import { createGlobalTable, createInboxTable, createOutboxTable, createTenantTable } from '@crm/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const roles = DATABASES['webhook-dispatcher'];

/** Subscriptions and the ledger: a row per delivery and per attempt. */
export class Webhooks1763700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createTenantTable(runner, roles, {
      name: 'webhook_subscription',
      columns: `
        id uuid NOT NULL,
        installation_id uuid,
        app_key text,
        url text NOT NULL,
        events text[] NOT NULL,
        description text,
        filter text,
        enabled boolean NOT NULL DEFAULT true,
        disabled_reason text,
        secret bytea,
        previous_secret bytea,
        previous_secret_until timestamptz,
        failing_since timestamptz,
        created_by uuid NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CHECK ((app_key IS NULL) = (installation_id IS NULL) AND (app_key IS NULL) = (secret IS NOT NULL))`,
      indexes: [{ columns: 'installation_id', where: 'installation_id IS NOT NULL' }],
    });

    // Subscriptions of an app sign with the secret of the app, which is the same in every tenant.
    await createGlobalTable(runner, roles, {
      name: 'app_secret',
      columns: `
        app_key text NOT NULL,
        secret bytea NOT NULL,
        previous_secret bytea,
        previous_secret_until timestamptz`,
      primaryKey: ['app_key'],
      role: 'narrow',
      grants: ['select', 'insert', 'update'],
    });

    await createTenantTable(runner, roles, {
      name: 'delivery',
      columns: `
        id uuid NOT NULL,
        subscription_id uuid NOT NULL,
        event_id uuid NOT NULL,
        event text NOT NULL,
        url text NOT NULL,
        body text NOT NULL,
        status text NOT NULL CHECK (status IN ('pending', 'retrying', 'delivered', 'failed', 'blocked')),
        attempts integer NOT NULL DEFAULT 0,
        next_attempt_at timestamptz,
        claim uuid,
        claimed_until timestamptz,
        last_error_code text,
        last_error_message text,
        last_http_status integer,
        created_at timestamptz NOT NULL DEFAULT now(),
        completed_at timestamptz,
        CHECK ((next_attempt_at IS NULL) = (status IN ('delivered', 'failed', 'blocked')))`,
      // An event makes at most one delivery for a subscription, however often it arrives.
      unique: [['subscription_id', 'event_id']],
      // Finding due deliveries crosses tenants: the narrow role claims rows, a transaction of the tenant does the rest.
      narrow: ['select', 'update'],
      indexes: [
        'subscription_id, id',
        // Due deliveries are found by their subscription, so that the backlog of a paused one is not read. The last index:
        // of two that cost the same, as in a table without statistics, the planner takes the younger.
        { columns: 'subscription_id, next_attempt_at', where: 'next_attempt_at IS NOT NULL' },
      ],
    });

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

    await createTenantTable(runner, roles, {
      name: 'delivery_attempt',
      columns: `
        delivery_id uuid NOT NULL,
        number integer NOT NULL,
        at timestamptz NOT NULL,
        http_status integer,
        error_code text,
        error_message text,
        latency_ms integer NOT NULL,
        response_excerpt text`,
      primaryKey: ['delivery_id', 'number'],
    });

    await createOutboxTable(runner, roles);
    await createInboxTable(runner, roles);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of [
      'inbox',
      'dead_letter',
      'outbox',
      'outbox_position',
      'delivery_attempt',
      'subscription_queue',
      'delivery',
      'app_secret',
      'webhook_subscription',
    ]) {
      await runner.query(`DROP TABLE IF EXISTS ${table}`);
    }
  }
}

import { DATABASES } from '@crm/contracts';
import {
  createErasedRecordTable,
  createGlobalTable,
  createInboxTable,
  createOutboxTable,
  createTenantTable,
  isDistributed,
  runSql,
  ServiceMigration,
} from '@crm/database';
import { createEncryptionKeyTable, letNarrowRoleFindTenants } from '@crm/encryption';
import type { QueryRunner } from 'typeorm';

const roles = DATABASES['webhook-dispatcher'];

/** Rows come and go: many dead ones make each look slower, so they are removed early. */
const QUEUE_STORAGE = 'fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02';

/** The schema of the first release. */
export class Schema1795910400000 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createTenantTable(runner, roles, {
      name: 'webhook_subscription',
      columns: `
        id uuid NOT NULL,
        installation_id uuid,
        app_key text,
        sandbox boolean NOT NULL DEFAULT false,
        version integer NOT NULL DEFAULT 1,
        url text NOT NULL,
        events text[] NOT NULL,
        description text,
        filter text,
        rate_limit integer CHECK (rate_limit BETWEEN 1 AND 1000),
        rate_reserved_until timestamptz,
        paused_at timestamptz,
        paused_until timestamptz,
        enabled boolean NOT NULL DEFAULT true,
        disabled_reason text,
        ordering text NOT NULL DEFAULT 'none' CHECK (ordering IN ('none', 'record')),
        on_stall text NOT NULL DEFAULT 'skip' CHECK (on_stall IN ('skip', 'hold')),
        public_key text,
        headers bytea,
        secret bytea,
        previous_secret bytea,
        previous_secret_until timestamptz,
        failing_since timestamptz,
        failed_at timestamptz,
        failing_hours integer NOT NULL DEFAULT 0,
        created_by uuid NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        removed_at timestamptz,
        CHECK ((app_key IS NULL) = (installation_id IS NULL) AND (app_key IS NULL) = (secret IS NOT NULL)),
        CHECK (app_key IS NULL OR (public_key IS NULL AND headers IS NULL)),
        CHECK (removed_at IS NULL OR installation_id IS NOT NULL)`,
      indexes: [
        { columns: 'installation_id', where: 'installation_id IS NOT NULL' },
        { columns: 'removed_at', where: 'removed_at IS NOT NULL', tenantFirst: false },
      ],
    });
    await letNarrowRoleFindTenants(runner, roles, 'webhook_subscription');
    // A claim says which version of the subscription its delivery belongs to, and each process what its receiver has asked for.
    // Removed ones are purged over all tenants, which reaches no other.
    await runner.query(`
      GRANT SELECT (id, installation_id, removed_at, app_key, version, rate_limit, rate_reserved_until, paused_at, paused_until), DELETE
         ON webhook_subscription TO ${roles.narrowRole}`);
    await runner.query(`CREATE POLICY narrow_delete ON webhook_subscription
      FOR delete TO ${roles.narrowRole} USING (removed_at IS NOT NULL)`);

    // Subscriptions of an app sign with the secret of the app, which is the same in every tenant.
    await createGlobalTable(runner, roles, {
      name: 'app_secret',
      columns: `
        app_key text NOT NULL,
        secret bytea NOT NULL,
        previous_secret bytea,
        previous_secret_until timestamptz,
        version integer NOT NULL DEFAULT 1`,
      primaryKey: ['app_key'],
      role: 'narrow',
      grants: ['select', 'insert', 'update'],
      onCoordinator: true,
    });

    // What all deliveries of an event send, and the trace that it belongs to, if it is recorded.
    await createTenantTable(runner, roles, {
      name: 'event_body',
      columns: `
        id uuid NOT NULL,
        event text NOT NULL,
        body text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        traceparent text`,
      partitionedBy: 'id',
      // What a 410 ends is written with the disabling of the subscription, and what is kept of an erased record loses its content, both
      // in the transaction of the tenant; so is the ledger below.
      grants: ['select', 'insert', 'update'],
      narrow: ['select', 'insert'],
    });

    // The id has the time of the event, so that everything of an event is in the partitions of one day. A row also has the
    // last attempt: of most deliveries the only one.
    await createTenantTable(runner, roles, {
      name: 'delivery',
      columns: `
        id uuid NOT NULL,
        subscription_id uuid NOT NULL,
        event_id uuid NOT NULL,
        event text NOT NULL,
        url text NOT NULL,
        status text NOT NULL CHECK (status IN ('pending', 'retrying', 'delivered', 'failed', 'blocked', 'held')),
        attempts integer NOT NULL,
        next_attempt_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now(),
        attempted_at timestamptz,
        http_status integer,
        latency_ms integer,
        response_excerpt text,
        error_code text,
        error_message text,
        error_phase text,
        app_key text,
        installation_id uuid,
        record_id text,
        record_version bigint,
        set_aside boolean NOT NULL DEFAULT false,
        CHECK (next_attempt_at IS NULL OR status IN ('pending', 'retrying')),
        -- One that waits in line has a record, and nobody knows when its next attempt is.
        CHECK (next_attempt_at IS NOT NULL OR status NOT IN ('pending', 'retrying') OR record_id IS NOT NULL),
        CHECK ((record_id IS NULL) = (record_version IS NULL))`,
      partitionedBy: 'id',
      grants: ['select', 'insert', 'update'],
      narrow: ['select', 'insert', 'update'],
      indexes: [
        // Not the tenant first: a delivery is looked up by tenant and id, and in a table without statistics the planner
        // would take any index that begins with the tenant for that.
        { columns: 'subscription_id, id', tenantFirst: false },
        { columns: 'event, tenant_id, id', tenantFirst: false },
        { columns: 'status, id', where: "status <> 'delivered'" },
        { columns: 'error_code, id', where: 'error_code IS NOT NULL' },
        // What a subscription holds, and what else it may recover: few among what it was delivered.
        { columns: 'subscription_id, id', where: "status IN ('held', 'failed', 'blocked')", tenantFirst: false },
        // The same for the developers of apps, over all tenants.
        { columns: 'app_key, id', where: 'app_key IS NOT NULL', tenantFirst: false },
        { columns: 'app_key, event, id', where: 'app_key IS NOT NULL', tenantFirst: false },
        { columns: 'app_key, status, id', where: "app_key IS NOT NULL AND status <> 'delivered'", tenantFirst: false },
        {
          columns: 'app_key, error_code, id',
          where: 'app_key IS NOT NULL AND error_code IS NOT NULL',
          tenantFirst: false,
        },
      ],
    });

    // Attempts before the last one, which stands with its delivery.
    await createTenantTable(runner, roles, {
      name: 'delivery_attempt',
      columns: `
        delivery_id uuid NOT NULL,
        number integer NOT NULL,
        at timestamptz NOT NULL,
        http_status integer,
        error_code text,
        error_message text,
        error_phase text,
        latency_ms integer NOT NULL,
        response_excerpt text`,
      primaryKey: ['delivery_id', 'number'],
      partitionedBy: 'delivery_id',
      arrival: 'at',
      grants: ['select', 'insert', 'update'],
      narrow: ['select', 'insert'],
    });

    // What waits for an attempt, or is in one; the ledger keeps what has ended.
    await createTenantTable(runner, roles, {
      name: 'due_delivery',
      columns: `
        delivery_id uuid NOT NULL,
        subscription_id uuid NOT NULL,
        event_id uuid NOT NULL,
        attempts integer NOT NULL,
        throttled integer NOT NULL DEFAULT 0,
        is_retry boolean NOT NULL,
        due_at timestamptz NOT NULL,
        is_head boolean NOT NULL DEFAULT false,
        claim uuid,
        claimed_until timestamptz`,
      primaryKey: ['delivery_id'],
      // Answers by which the receiver asked for fewer requests are throttled, and do not use up attempts.
      // Subscriptions first, so that the backlog of a paused one is not read; first attempts before retries.
      indexes: ['subscription_id, is_retry, due_at'],
      grants: ['select', 'insert', 'update', 'delete'],
      narrow: ['select', 'insert', 'update', 'delete'],
      storage: QUEUE_STORAGE,
    });

    // Deliveries with an order that have not ended. Only heads are also due, so that what waits behind costs no claim anything.
    await createTenantTable(runner, roles, {
      name: 'ordered_delivery',
      columns: `
        delivery_id uuid NOT NULL,
        subscription_id uuid NOT NULL,
        record_id text NOT NULL,
        record_version bigint NOT NULL,
        event_id uuid NOT NULL,
        attempts integer NOT NULL,
        stream_sequence bigint,
        arrived_at timestamptz NOT NULL DEFAULT now(),
        stored_at timestamptz,
        state text NOT NULL CHECK (state IN ('new', 'waiting', 'head', 'ended'))`,
      primaryKey: ['delivery_id'],
      indexes: [
        'subscription_id, record_id, record_version, event_id',
        { columns: 'arrived_at', where: "state IN ('new', 'ended')", tenantFirst: false },
      ],
      grants: ['select', 'insert', 'update'],
      narrow: ['select', 'insert', 'update', 'delete'],
      storage: QUEUE_STORAGE,
    });
    // What makes it certain that one delivery of a record is in flight at most, whatever the statements do.
    await runner.query(`CREATE UNIQUE INDEX ordered_delivery_head_key
      ON ordered_delivery (tenant_id, subscription_id, record_id) WHERE state = 'head'`);

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

    // What a subscription holds while it is paused or disabled. Apart from it, because a batch of events writes it.
    await createTenantTable(runner, roles, {
      name: 'subscription_hold',
      columns: `
        subscription_id uuid NOT NULL,
        held integer NOT NULL DEFAULT 0,
        dropped bigint NOT NULL DEFAULT 0,
        is_discarded boolean NOT NULL DEFAULT false`,
      primaryKey: ['subscription_id'],
      indexes: [{ columns: 'subscription_id', where: 'is_discarded' }],
      grants: ['select', 'insert', 'update'],
      narrow: ['select', 'update', 'delete'],
      storage: 'fillfactor = 50',
    });

    // The last recovery of each subscription, which runs while it is due.
    await createTenantTable(runner, roles, {
      name: 'recovery',
      columns: `
        subscription_id uuid NOT NULL,
        state text NOT NULL CHECK (state IN ('running', 'completed', 'stopped')),
        since timestamptz,
        include_failed boolean NOT NULL,
        total integer NOT NULL,
        done integer NOT NULL DEFAULT 0,
        next_id uuid NOT NULL,
        end_id uuid NOT NULL,
        started_at timestamptz NOT NULL,
        finished_at timestamptz,
        due_at timestamptz,
        claim uuid,
        CHECK ((state = 'running') = (due_at IS NOT NULL) AND (state = 'running') = (finished_at IS NULL))`,
      primaryKey: ['subscription_id'],
      references: [{ columns: ['subscription_id'], table: 'webhook_subscription', onDelete: 'cascade' }],
      indexes: [{ columns: 'due_at', where: 'due_at IS NOT NULL', tenantFirst: false }],
      grants: ['select', 'insert', 'update'],
      narrow: ['select', 'update'],
    });

    await createOutboxTable(runner, roles);
    await createInboxTable(runner, roles);
    await createEncryptionKeyTable(runner, roles);
    await createErasedRecordTable(runner, roles);
    for (const file of [new URL('./ledger.sql', import.meta.url), new URL('./queues.sql', import.meta.url)]) {
      await runSql(runner, file);
    }
    await forgetTenants(runner);
  }
}

/**
 * Of a tenant that is newer than the statistics the planner would expect no row, and find one row among all of the tenant by any index
 * that begins with it. Without statistics it expects some, and takes the index of the key. A cluster refuses to change that.
 */
async function forgetTenants(runner: QueryRunner): Promise<void> {
  if (await isDistributed(runner)) return;
  for (const table of ['due_delivery', 'ordered_delivery']) {
    await runner.query(`ALTER TABLE ${table} ALTER COLUMN tenant_id SET STATISTICS 0`);
  }
}

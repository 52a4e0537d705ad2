import type { ServiceDatabase } from '@crm/contracts';
import type { QueryRunner } from 'typeorm';
import { createGlobalTable, createTenantTable } from './tables.js';

/** Appends events of one tenant in this order. `seq` is of the sequence of the node of a cluster that has the tenant's rows. */
const CREATE_APPEND_EVENTS = `
  CREATE FUNCTION append_events(tenant uuid, ids uuid[], names text[], subjects text[], envelopes json)
  RETURNS void LANGUAGE plpgsql AS $body$
  BEGIN
    INSERT INTO outbox (tenant_id, id, name, subject, envelope)
    SELECT tenant, event.* FROM ROWS FROM (unnest(ids, names, subjects), json_array_elements(envelopes)) AS event;
  END $body$`;

/**
 * The envelope is `json`, which keeps the measured bytes: `jsonb` writes numbers out, so that an event could exceed the
 * limit of the broker and block all later ones. `outbox_position` has what is published, as ranges of `seq`.
 */
export async function createOutboxTable(runner: QueryRunner, roles: ServiceDatabase): Promise<void> {
  await createTenantTable(runner, roles, {
    name: 'outbox',
    columns: `
      id uuid NOT NULL,
      seq bigint GENERATED ALWAYS AS IDENTITY,
      name text NOT NULL,
      subject text NOT NULL,
      envelope json NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now()`,
    indexes: [{ columns: 'seq', tenantFirst: false }],
    partitionedBy: 'id',
    storage: 'toast_tuple_target = 8160',
    grants: ['insert'],
    narrow: ['select', 'insert', 'delete'],
  });
  await runner.query(CREATE_APPEND_EVENTS);
  await createDeadLetterTable(runner, roles);
  await createGlobalTable(runner, roles, {
    name: 'outbox_position',
    columns: `
      since timestamptz NOT NULL,
      published int8multirange NOT NULL,
      stream_seq bigint,
      stream_subject text`,
    primaryKey: ['since'],
    role: 'narrow',
    onCoordinator: true,
  });
}

/** `inbox` has which consumer has handled which event, so that a second delivery has no second effect. */
export async function createInboxTable(runner: QueryRunner, roles: ServiceDatabase): Promise<void> {
  await createTenantTable(runner, roles, {
    name: 'inbox',
    columns: `
      consumer text NOT NULL,
      event_id uuid NOT NULL,
      handled_at timestamptz NOT NULL DEFAULT now()`,
    primaryKey: ['consumer', 'event_id'],
    partitionedBy: 'event_id',
    arrival: 'handled_at',
    // ON CONFLICT DO NOTHING needs to read the key.
    grants: ['select', 'insert'],
  });
  await createDeadLetterTable(runner, roles);
}

/** One for a service that receives and sends, made by the first call. The narrow role writes those of the relay. */
async function createDeadLetterTable(runner: QueryRunner, roles: ServiceDatabase): Promise<void> {
  if (await runner.hasTable('dead_letter')) return;
  await createTenantTable(runner, roles, {
    name: 'dead_letter',
    columns: `
      id uuid NOT NULL,
      consumer text NOT NULL,
      message_key text NOT NULL,
      event_id uuid,
      subject text NOT NULL,
      payload bytea NOT NULL,
      error text NOT NULL,
      deliveries integer NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      replayed_at timestamptz`,
    indexes: [{ columns: 'consumer, id', where: 'replayed_at IS NULL', tenantFirst: false }],
    partitionedBy: 'id',
    grants: ['select', 'insert', 'update'],
    narrow: ['select', 'insert', 'update'],
  });
}

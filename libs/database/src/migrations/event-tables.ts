import type { ServiceDatabase } from '@crm/contracts';
import type { QueryRunner } from 'typeorm';
import { createGlobalTable, createTenantTable } from './tables.js';

/**
 * Creates `outbox`: events to publish, written in the transaction of the change. The narrow role relays
 * them for every tenant; `outbox_position` has which it has published, as ranges of `seq`, by the end of each ten seconds of
 * the last hour and of each hour before, with the last of these events in the stream: when the stream has lost that event, it
 * is filled again from a row whose event it has. `dead_letter` takes the events that the broker refuses for good.
 *
 * The envelope is `json`, which keeps the bytes that were measured when it was appended. `jsonb` writes numbers out
 * (`5e-324` has 326 characters there), so an event could exceed the limit of the broker and block all later ones. It stays
 * in its row, uncompressed, up to the size of a page, because it is read once, a moment later.
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
    narrow: ['select', 'insert', 'update'],
  });
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
  });
}

/**
 * `inbox`: which consumer has handled which event, so that a second delivery has no second effect.
 * `dead_letter`: messages that could not be handled, as received, with their error. The id follows from consumer and
 * `message_key`, so that the primary key keeps a message single.
 */
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

/**
 * `dead_letter`: events that could not be handled by a consumer or published by the relay, with their error. A service that
 * both receives and sends has one such table; the first of the two calls makes it. The narrow role writes those of the relay.
 */
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

import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { CONSUMERS, DATABASES, type EventEnvelope } from '@crm/contracts';
import { findInStream, findInTables } from '@crm/testing';
import { expect, it } from '@jest/globals';
import pg from 'pg';
import { eventually } from '../scripts/demo/client.mjs';
import { startDemoReceiver } from '../scripts/demo/receiver.mjs';
import { api, newWorkspace } from './platform/accounts.js';
import { addresses, pidOf } from './platform/addresses.js';

const databaseUrl = (database: string): string => {
  const url = new URL(addresses.databaseUrl);
  url.pathname = `/${database}`;
  return url.href;
};

async function inDatabase<Row extends pg.QueryResultRow>(database: string, sql: string, values: unknown[]) {
  const client = new pg.Client({ connectionString: databaseUrl(database) });
  await client.connect();
  try {
    return (await client.query<Row>(sql, values)).rows;
  } finally {
    await client.end();
  }
}

/** Where a text is: tables of all services, and subjects of the event stream. */
async function findEverywhere(text: string): Promise<string[]> {
  const secrets = JSON.parse(await readFile(path.join(addresses.dataDir, 'secrets.json'), 'utf8'));
  const [messages, ...tables] = await Promise.all([
    findInStream(text, { url: addresses.natsUrl, passwords: secrets.nats }),
    ...Object.values(DATABASES).map(async ({ database }) =>
      Object.keys(await findInTables(databaseUrl(database), text)).map((table) => `${database} ${table}`),
    ),
  ]);
  return [...messages, ...tables.flat()];
}

/** A consumer that could not handle an event keeps it like this. */
async function storeDeadLetter(database: string, consumer: string, envelope: EventEnvelope): Promise<void> {
  const sql = `INSERT INTO dead_letter (tenant_id, id, consumer, message_key, event_id, subject, payload, error, deliveries)
    VALUES ($1, $2, $3, $4, $2, 'events.lead.created.1', $5, $6, 10)`;
  const payload = Buffer.from(JSON.stringify(envelope));
  await inDatabase(database, sql, [
    envelope.tenantid,
    envelope.id,
    consumer,
    randomUUID(),
    payload,
    payload.toString(),
  ]);
}

it('an erased record is found nowhere within a minute, and what still waits goes out with its id alone', async () => {
  const marker = `marker-${randomUUID()}`;
  let receiver = await startDemoReceiver(addresses.demoReceiver);
  const { token, tenantId } = await newWorkspace();
  const { body: subscription } = await api('POST', '/api/webhooks/subscriptions', {
    token,
    body: { events: ['lead.*'], url: `${addresses.demoReceiver.url}/erased`, ordering: 'record', onStall: 'hold' },
    expect: 201,
  });
  const actions = [
    { type: 'create_task', title: 'Call' },
    { type: 'wait', seconds: 3_600 },
  ];
  await api('POST', '/api/crm/automations/workflows', {
    token,
    body: { name: 'Call', trigger: { type: 'event', event: 'lead.created' }, actions },
    expect: 201,
  });
  const body = { lastName: marker, companyName: `${marker} Ltd` };
  const { id } = (await api('POST', '/api/crm/leads', { token, body, expect: 201 })).body;
  await eventually(async () => receiver.received.length === 1, 'the first delivery');
  await receiver.close();
  await api('PATCH', `/api/crm/leads/${id}`, { token, body: { companyName: `${marker} Inc` }, expect: 200 });
  const waiting = await eventually(async () => {
    const query = `subscriptionId=${subscription.id}&status=retrying`;
    const { data } = (await api('GET', `/api/webhooks/deliveries?${query}`, { token, expect: 200 })).body;
    return data[0];
  }, 'a delivery to a receiver that is away');
  await eventually(async () => {
    const { data } = (await api('GET', '/api/crm/automations/runs', { token, expect: 200 })).body;
    return data[0]?.status === 'running';
  }, 'a run that waits');
  const [event] = await inDatabase<{ envelope: EventEnvelope }>(
    'custom_objects',
    "SELECT envelope FROM outbox WHERE tenant_id = $1 AND name = 'lead.created'",
    [tenantId],
  );
  const { envelope } = event as { envelope: EventEnvelope };
  await storeDeadLetter('webhooks', CONSUMERS['webhook-dispatcher'].durable, envelope);
  await storeDeadLetter('automations', CONSUMERS['automation-hooks'].durable, envelope);
  await storeDeadLetter('custom_objects', 'outbox', envelope);
  const before = await findEverywhere(marker);
  for (const what of [
    'events.lead.',
    'custom_record',
    'record_search',
    'outbox',
    'dead_letter',
    'event_body',
    ' public.run',
  ]) {
    expect(before.filter((where) => where.includes(what))).not.toEqual([]);
  }

  await api('POST', `/api/crm/leads/${id}/erase`, { token, expect: 200 });
  for (const service of ['custom-objects', 'webhook-dispatcher']) process.kill(await pidOf(service), 'SIGKILL');
  await eventually(
    async () => {
      const left = await findEverywhere(marker);
      return left.length === 0;
    },
    'nothing of the record is left',
    60_000,
  );

  receiver = await startDemoReceiver(addresses.demoReceiver);
  await eventually(
    async () => (await api('POST', `/api/webhooks/deliveries/${waiting.id}/redeliver`, { token })).status < 300,
    'the delivery is made due',
    60_000,
  );
  const bodies = () => receiver.received.map((request) => JSON.parse(request.body));
  await eventually(async () => bodies().length >= 2, 'what waited and the erasure', 60_000);
  await receiver.close();
  expect(bodies().map((one) => [one.type, one.data])).toEqual(
    bodies().map(() => ['lead.deleted', { id, erased: true }]),
  );
  // Without an order that the subscription asks for, either can come first.
  expect(bodies().map((body) => body.id)).toContain(waiting.eventId);
  const { body: trail } = await api('GET', '/api/admin/audit?action=record.erased', { token, expect: 200 });
  expect(trail.data).toMatchObject([{ subject: { kind: 'record', id }, detail: { object: 'lead' } }]);
});

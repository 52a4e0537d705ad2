import { randomUUID } from 'node:crypto';
import { type EventEnvelope, rpc } from '@crm/contracts';
import { Database, type NarrowTransaction } from '@crm/database';
import { NatsConnection, Rpc } from '@crm/messaging';
import { type ReceiverReaction, testNats, waitUntil } from '@crm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BoundedReads } from '../src/ledger/bounded-reads.js';
import { envelope, useWebhooks } from './webhook-service.js';

const PAGE = { limit: 26, offset: 0, countLimit: 10_001 };

describe('the ledger of an app', () => {
  const { app } = useWebhooks();
  let nats: NatsConnection;
  let marketplace: Rpc;
  let appKey: string;
  beforeAll(async () => {
    const { url, passwords } = testNats();
    const service = 'marketplace-certification';
    nats = await NatsConnection.open({ url, user: service, password: passwords[service], service });
    marketplace = new Rpc(nats);
  });
  afterAll(() => nats?.close());
  beforeEach(() => {
    appKey = `app-${randomUUID()}`;
  });

  /** In a workspace of its own, which also has a subscription of its own. */
  async function install(key = appKey, path = '/app') {
    const tenant = await app.tenant();
    const installationId = randomUUID();
    await app.provision(tenant.id, {
      installationId,
      appKey: key,
      webhooks: [{ events: ['lead.*'], url: app.receiver.url + path }],
    });
    await app.subscribe(tenant.admin, { events: ['lead.*'] });
    return { ...tenant, installationId };
  }
  const emit = async (tenantId: string, type: 'lead.created' | 'lead.updated' = 'lead.created') => {
    const event = envelope(tenantId, type, { id: randomUUID(), lastName: 'Lovelace' });
    await app.handle(event, { isRepeated: false });
    return event;
  };
  const list = (filter: object = {}, page: object = {}, key = appKey) =>
    marketplace.call(rpc.webhooks.listAppDeliveries, { appKey: key, filter, ...PAGE, ...page });
  const eventsOf = async (...args: Parameters<typeof list>) =>
    (await list(...args)).deliveries.map(({ eventId }) => eventId);
  const ids = (...events: EventEnvelope[]) => events.map(({ id }) => id);

  it('has its deliveries in every workspace, newest first, and shows nothing of the workspace', async () => {
    const [one, two, stranger] = [await install(), await install(), await install(`other-${randomUUID()}`)];
    const [first, , second] = [await emit(one.id), await emit(stranger.id), await emit(two.id)];
    const { deliveries, counted } = await list();
    expect(counted).toBe(2);
    const common = { event: 'lead.created', url: `${app.receiver.url}/app`, status: 'delivered', attempts: 1 };
    const times = { latencyMs: expect.any(Number), createdAt: expect.any(String) };
    expect(deliveries).toEqual([
      { id: expect.any(String), eventId: second.id, installationId: two.installationId, ...common, ...times },
      { id: expect.any(String), eventId: first.id, installationId: one.installationId, ...common, ...times },
    ]);
    const found = await marketplace.call(rpc.webhooks.findAppDelivery, { appKey, id: deliveries[0]?.id as string });
    for (const text of [JSON.stringify(deliveries), JSON.stringify(found)]) {
      for (const secret of [one.id, two.id, 'Lovelace', 'secret']) expect(text).not.toContain(secret);
    }
  });

  it('is filtered by status, event, error code and the time of the event, and continues after a page', async () => {
    const tenant = await install();
    const created = await emit(tenant.id);
    const updated = await emit(tenant.id, 'lead.updated');
    app.receiver.respondWith(() => ({ status: 410 }));
    const gone = await emit(tenant.id);
    await waitUntil(async () => (await list({ errorCode: 'http_4xx' })).counted === 1, { describe: 'a failure' });
    expect(await eventsOf()).toEqual(ids(gone, updated, created));
    expect(await eventsOf({ status: 'delivered' })).toEqual(ids(updated, created));
    expect(await eventsOf({ event: 'lead.updated' })).toEqual(ids(updated));
    expect(await eventsOf({ event: 'lead.deleted' })).toEqual([]);
    expect(await eventsOf({ errorCode: 'tls' })).toEqual([]);
    expect(await eventsOf({ errorCode: 'http_4xx', event: 'lead.created' })).toEqual(ids(gone));
    expect(await eventsOf({ from: '2100-01-01T00:00:00Z' })).toEqual([]);
    expect(await eventsOf({ to: '2100-01-01T00:00:00Z', status: 'delivered' })).toEqual(ids(updated, created));
    expect(await eventsOf({}, {}, `${appKey}-2`)).toEqual([]);
    const { deliveries, counted } = await list({}, { limit: 2, countLimit: 2 });
    expect([deliveries.map(({ eventId }) => eventId), counted]).toEqual([ids(gone, updated), 2]);
    const rest = await list({}, { after: deliveries[1]?.id as string, countLimit: 0 });
    expect([rest.deliveries.map(({ eventId }) => eventId), rest.counted]).toEqual([ids(created), 0]);
    await expect(list({ from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z' })).rejects.toMatchObject({
      code: 'INVALID_QUERY',
    });
  });

  it('has the attempts of a delivery, with what the app answered', async () => {
    const tenant = await install();
    const reactions: ReceiverReaction[] = ['reset', { status: 503, body: 'busy' }];
    app.receiver.respondWith(({ path }) => (path === '/app' ? reactions.shift() : null) ?? { status: 200, body: 'ok' });
    await emit(tenant.id);
    await waitUntil(async () => (await list({ status: 'delivered' })).counted === 1, { describe: 'a success' });
    const id = (await list()).deliveries[0]?.id as string;
    const { found } = await marketplace.call(rpc.webhooks.findAppDelivery, { appKey, id });
    const attempt = { at: expect.any(String), latencyMs: expect.any(Number) };
    expect(found).toMatchObject({ delivery: { id, attempts: 3, status: 'delivered' } });
    expect(found?.attempts).toEqual([
      { ...attempt, errorCode: 'reset', phase: 'headers' },
      { ...attempt, errorCode: 'http_5xx', httpStatus: 503, responseExcerpt: 'busy' },
      { ...attempt, httpStatus: 200, responseExcerpt: 'ok' },
    ]);
    for (const request of [
      { appKey: `${appKey}-2`, id },
      { appKey, id: randomUUID() },
    ]) {
      expect(await marketplace.call(rpc.webhooks.findAppDelivery, request)).toEqual({ found: null });
    }
  });

  it('is counted by the hour, over all workspaces', async () => {
    const [one, two, stranger] = [await install(), await install(), await install(`other-${randomUUID()}`)];
    for (const { id } of [one, two, two, stranger]) await emit(id);
    const { hours } = await marketplace.call(rpc.webhooks.countAppDeliveries, { appKey });
    expect(hours).toHaveLength(24);
    const sum = (key: 'deliveries' | 'delivered' | 'failed' | 'attempts') =>
      hours.reduce((all, hour) => all + hour[key], 0);
    expect([sum('deliveries'), sum('delivered'), sum('failed'), sum('attempts')]).toEqual([3, 3, 0, 3]);
    expect(hours.filter(({ latencyMs }) => latencyMs !== null).length).toBeGreaterThan(0);
    await expect(
      marketplace.call(rpc.webhooks.countAppDeliveries, { appKey, from: '2026-01-01T00:00:00Z' }),
    ).rejects.toMatchObject({ code: 'INVALID_QUERY' });
  });

  it('is not open to other services', async () => {
    const { url, passwords } = testNats();
    const service = 'custom-objects';
    const other = await NatsConnection.open({ url, user: service, password: passwords[service], service });
    try {
      await expect(
        new Rpc(other).call(rpc.webhooks.findAppDelivery, { appKey, id: randomUUID() }),
      ).rejects.toMatchObject({ code: expect.any(String) });
    } finally {
      await other.close();
    }
  });

  it('is read by one request at a time, which is ended when it takes long', async () => {
    const reads = app.service.get(BoundedReads);
    const underWay = reads.run((tx) => tx.query('SELECT pg_sleep(60)'));
    const refusal = expect(underWay).rejects.toMatchObject({ code: 'QUERY_TOO_EXPENSIVE' });
    // Waits for the slot, and gets it when the first is ended, or is told to come again.
    const next = await Promise.allSettled([list()]);
    await refusal;
    expect(next[0]?.status === 'fulfilled' || next[0]?.reason.code === 'SERVICE_UNAVAILABLE').toBe(true);
    expect(await list()).toEqual({ deliveries: [], counted: 0 });
    // What was set for it holds for no other transaction on the connection.
    const settings = (tx: NarrowTransaction) =>
      tx.query(`SELECT current_setting('plan_cache_mode') AS mode, current_setting('statement_timeout') AS timeout`);
    expect(await reads.run(settings)).toEqual([{ mode: 'force_custom_plan', timeout: '2s' }]);
    expect(await app.service.get(Database).crossTenant(settings)).not.toContainEqual({
      mode: 'force_custom_plan',
      timeout: '2s',
    });
  });
});

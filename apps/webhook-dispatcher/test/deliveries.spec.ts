import { createHmac, randomUUID } from 'node:crypto';
import { Database } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { LedgerWriter } from '../src/ledger/ledger-writer.js';
import { envelope, eventEntry, gate, newDelivery, useWebhooks } from './webhook-service.js';

describe('deliveries', () => {
  const { app, tenant } = useWebhooks();
  beforeEach(() => {
    app.receiver.respondWith(() => ({ status: 204 }));
  });

  it('sends the record to the receiver, signed', async () => {
    const { secret } = await app.subscribe(tenant.admin);
    const event = await app.emit(tenant.id);
    const request = await app.receiver.waitFor((candidate) => candidate.headers['webhook-id'] === event.id);
    const timestamp = request.headers['webhook-timestamp'];
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const expected = createHmac('sha256', key).update(`${event.id}.${timestamp}.${request.body}`).digest('base64');
    expect(request.headers['webhook-signature']).toBe(`v1,${expected}`);
    expect(JSON.parse(request.body)).toEqual({
      id: event.id,
      type: 'lead.created',
      timestamp: event.time,
      tenantId: tenant.id,
      dataschema: 'urn:crm:event:lead.created:v1',
      data: event.data.record,
    });
    const [delivery] = await app.settled(tenant.admin, 'delivered');
    expect(delivery).toMatchObject({ attempts: 1, event: 'lead.created', eventId: event.id });
    expect(delivery).not.toHaveProperty('lastError');
  });

  it('does not let many slow receivers of one tenant hold up the deliveries of another', async () => {
    const { opened: answered, open: answer } = gate();
    app.receiver.respondWith(async ({ path }) => {
      if (path === '/slow') await answered;
      return { status: 204 };
    });
    for (let index = 0; index < 6; index += 1) {
      await app.subscribe(tenant.admin, { url: `${app.receiver.url}/slow` });
    }
    for (let index = 0; index < 4; index += 1) await app.emit(tenant.id);
    await app.receiver.waitFor(({ path }) => path === '/slow');

    const other = await app.tenant();
    await app.subscribe(other.admin);
    const event = await app.emit(other.id);
    await app.receiver.waitFor(({ headers }) => headers['webhook-id'] === event.id);

    answer();
    await waitUntil(async () => (await app.deliveries(tenant.admin, '?status=delivered&size=50')).length === 24, {
      describe: 'the slow deliveries to be made',
    });
  });

  it('delivers only to subscriptions of the tenant that name the event and whose filter passes', async () => {
    const stranger = await app.tenant();
    await app.subscribe(stranger.admin);
    await app.subscribe(tenant.admin, { events: ['lead.updated'] });
    await app.subscribe(tenant.admin, { filter: 'lastName == "Other"' });
    const wanted = await app.subscribe(tenant.admin, { filter: 'lastName == "Doe"' });
    await app.emit(tenant.id);
    const made = await app.settled(tenant.admin, 'delivered');
    expect(made).toEqual([expect.objectContaining({ subscriptionId: wanted.id })]);
    expect(await app.deliveries(stranger.admin)).toEqual([]);
  });

  it('stores the body of an event once for all its deliveries', async () => {
    for (let index = 0; index < 10; index += 1) await app.subscribe(tenant.admin);
    const text = 'x'.repeat(100_000);
    const event = envelope(tenant.id, 'lead.created', { id: randomUUID(), version: 1, lastName: text });
    await app.handle(event);
    expect(await app.settled(tenant.admin, 'delivered')).toHaveLength(10);
    const bodies = await app.rows<{ length: number }>(tenant.id, 'SELECT length(body) AS length FROM event_body');
    expect(bodies).toEqual([{ length: app.received(event.id)[0]?.body.length }]);
    expect(app.received(event.id).map(({ body }) => JSON.parse(body).data.lastName)).toEqual(Array(10).fill(text));
  });

  it('retries with the same id and body until the receiver accepts', async () => {
    let calls = 0;
    app.receiver.respondWith(() => {
      calls += 1;
      return calls < 3 ? { status: 503, body: 'busy' } : { status: 200 };
    });
    await app.subscribe(tenant.admin);
    const event = await app.emit(tenant.id);
    const [delivery] = await app.settled(tenant.admin, 'delivered');
    const requests = app.received(event.id);
    expect(requests).toHaveLength(3);
    expect(new Set(requests.map((request) => request.body)).size).toBe(1);
    const { body } = await app.service.request<{ attemptLog: object[] }>(
      'GET',
      `/api/webhooks/deliveries/${delivery?.id}`,
      { token: tenant.admin },
    );
    expect(body.attemptLog).toMatchObject([
      { httpStatus: 503, errorCode: 'http_5xx', responseExcerpt: 'busy' },
      { httpStatus: 503, errorCode: 'http_5xx' },
      { httpStatus: 200 },
    ]);
  });

  it('fails after the last attempt with the reason, and can then be sent again', async () => {
    app.receiver.respondWith(() => ({ status: 302, headers: { location: 'https://169.254.169.254/' } }));
    await app.subscribe(tenant.admin);
    const event = await app.emit(tenant.id);
    const [failed] = await app.settled(tenant.admin, 'failed');
    expect(failed).toMatchObject({ attempts: 3, lastError: { code: 'redirect', httpStatus: 302 } });
    expect(app.received(event.id)).toHaveLength(3);

    app.receiver.respondWith(() => ({ status: 200 }));
    const path = `/api/webhooks/deliveries/${failed?.id}/redeliver`;
    expect((await app.service.request('POST', path, { token: tenant.admin })).status).toBe(202);
    expect(await app.settled(tenant.admin, 'delivered')).toMatchObject([{ attempts: 4 }]);
  });

  it('sends a delivery again to the corrected URL of its subscription', async () => {
    app.receiver.respondWith(({ path }) => ({ status: path === '/right' ? 204 : 500 }));
    const { id } = await app.subscribe(tenant.admin, { url: `${app.receiver.url}/wrong` });
    await app.emit(tenant.id);
    await app.settled(tenant.admin, 'failed');
    const body = { url: `${app.receiver.url}/right` };
    await app.service.request('PATCH', `/api/webhooks/subscriptions/${id}`, { token: tenant.admin, body });
    const [failed] = await app.deliveries(tenant.admin);
    await app.service.request('POST', `/api/webhooks/deliveries/${failed?.id}/redeliver`, { token: tenant.admin });
    expect(await app.settled(tenant.admin, 'delivered')).toMatchObject([{ url: body.url }]);
  });

  it('does not let a dead receiver delay other deliveries', async () => {
    const dead = await app.tenant();
    await app.subscribe(dead.admin, { url: `${app.receiver.url}/dead` });
    await app.subscribe(tenant.admin, { url: `${app.receiver.url}/alive` });
    app.receiver.respondWith((request) => ({ status: request.path === '/dead' ? 500 : 204 }));
    for (let index = 0; index < 40; index += 1) await app.emit(dead.id);
    const event = await app.emit(tenant.id);
    await app.receiver.waitFor((request) => request.headers['webhook-id'] === event.id, 10_000);
    // Throttled, never dropped: every one of them is still in the ledger.
    expect((await app.deliveries(dead.admin, '?size=200')).length).toBe(40);
  });

  it('sends each delivery from one process only when there are several', async () => {
    const sibling = await app.startSibling();
    await app.subscribe(tenant.admin);
    const events = await Promise.all(Array.from({ length: 30 }, () => app.emit(tenant.id)));
    await waitUntil(async () => (await app.deliveries(tenant.admin, '?status=delivered&size=200')).length === 30, {
      timeoutMs: 20_000,
      describe: 'thirty deliveries',
    });
    for (const event of events) expect(app.received(event.id)).toHaveLength(1);
    await sibling.close();
  });

  it('takes over the delivery of a process that died, which can then no longer record an attempt', async () => {
    const { id: subscriptionId } = await app.subscribe(tenant.admin);
    const ledger = app.service.get(LedgerWriter);
    const claim = randomUUID();
    const event = envelope(tenant.id, 'lead.created', { id: randomUUID(), version: 1 });
    const id = randomUUID();
    const url = `${app.receiver.url}/hook`;
    const until = new Date(Date.now() + 1_500);
    // What a process leaves that is killed while it waits for an answer.
    const left = newDelivery({ id, subscriptionId, url, dueAt: new Date(), claim: { id: claim, until } });
    await ledger.write(eventEntry(tenant.id, [left], { eventId: event.id }));
    const request = await app.receiver.waitFor((candidate) => candidate.headers['webhook-id'] === event.id, 10_000);
    expect(request.receivedAt.getTime()).toBeGreaterThanOrEqual(until.getTime());
    expect(await app.settled(tenant.admin, 'delivered')).toMatchObject([{ id, attempts: 1, subscriptionId }]);

    const outcome = {
      at: new Date(),
      latencyMs: 1,
      httpStatus: 500,
      error: { code: 'http_5xx', message: 'no' },
      responseExcerpt: null,
      retryAfterMs: null,
    } as const;
    const isRecorded = await ledger.write({
      kind: 'settlement',
      tenantId: tenant.id,
      deliveryId: id,
      subscriptionId,
      claim,
      url,
      status: 'failed',
      attempts: 1,
      outcome,

      dueAt: null,
      isHead: false,
      isSetAside: false,
    });
    expect(isRecorded).toBe(false);
    expect(await app.deliveries(tenant.admin)).toMatchObject([{ status: 'delivered', attempts: 1 }]);
  });

  it('finds deliveries without a queue when the next process starts', async () => {
    const { id: subscriptionId } = await app.subscribe(tenant.admin);
    const eventId = randomUUID();
    const id = randomUUID();
    const database = app.service.get(Database);
    await database.crossTenant(async (tx) => {
      const values = [tenant.id, id, subscriptionId, eventId];
      await tx.query(`INSERT INTO event_body (tenant_id, id, event, body) VALUES ($1, $2, 'lead.created', '{}')`, [
        tenant.id,
        eventId,
      ]);
      await tx.query(
        `INSERT INTO delivery (tenant_id, id, subscription_id, event_id, event, url, status, attempts, next_attempt_at)
         VALUES ($1, $2, $3, $4, 'lead.created', 'https://hooks.example.com/', 'pending', 0, now())`,
        values,
      );
      await tx.query(
        `INSERT INTO due_delivery (tenant_id, delivery_id, subscription_id, event_id, attempts, is_retry, due_at)
         VALUES ($1, $2, $3, $4, 0, false, now())`,
        values,
      );
    });
    const sibling = await app.startSibling();
    await app.receiver.waitFor((request) => request.headers['webhook-id'] === eventId);
    await app.settled(tenant.admin, 'delivered');
    await sibling.close();
  });

  it('shows deliveries only to administrators of their tenant', async () => {
    await app.subscribe(tenant.admin);
    await app.emit(tenant.id);
    const [delivery] = await app.settled(tenant.admin, 'delivered');
    const path = `/api/webhooks/deliveries/${delivery?.id}`;
    const stranger = await app.tenant();
    expect((await app.service.request('GET', path, { token: stranger.admin })).status).toBe(404);
    expect((await app.service.request('POST', `${path}/redeliver`, { token: stranger.admin })).status).toBe(404);
    expect((await app.service.request('GET', path, { token: tenant.member })).status).toBe(403);
  });
});

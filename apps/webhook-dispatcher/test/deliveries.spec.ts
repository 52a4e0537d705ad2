import { randomUUID } from 'node:crypto';
import { verifyWebhook } from '@crm/sdk';
import { describe, expect, it } from '@jest/globals';
import { LedgerWriter } from '../src/ledger/ledger-writer.js';
import { envelope, eventEntry, newDelivery, useWebhooks } from './webhook-service.js';

describe('deliveries', () => {
  const { app, tenant, call } = useWebhooks();
  const redeliver = async (id: string | undefined) => (await call('POST', `deliveries/${id}/redeliver`)).status;

  it('sends the record to the receiver, signed', async () => {
    const { secret } = await app.subscribe(tenant.admin);
    const event = await app.emit(tenant.id);
    const { body, headers } = await app.arrival(event.id);
    expect(verifyWebhook(body, headers, secret)).toEqual({
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
    const answer = app.holdAnswers('/slow');
    for (let index = 0; index < 6; index += 1) await app.subscribe(tenant.admin, { url: `${app.receiver.url}/slow` });
    for (let index = 0; index < 4; index += 1) await app.emit(tenant.id);
    await app.receiver.waitFor(({ path }) => path === '/slow');

    const other = await app.tenant();
    await app.subscribe(other.admin);
    const event = await app.emit(other.id);
    await app.arrival(event.id);
    answer();
    await app.counted(tenant.admin, 'delivered', 24);
  });

  it('delivers only to subscriptions of the tenant that name the event and whose filter passes', async () => {
    const stranger = await app.tenant();
    await app.subscribe(stranger.admin);
    await app.subscribe(tenant.admin, { events: ['lead.updated'] });
    await app.subscribe(tenant.admin, { filter: 'lastName == "Other"' });
    const wanted = await app.subscribe(tenant.admin, { filter: 'lastName == "Doe"' });
    await app.emit(tenant.id);
    expect(await app.settled(tenant.admin, 'delivered')).toMatchObject([{ subscriptionId: wanted.id }]);
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
    const bodies = app.received(event.id).map((request) => request.body);
    expect(bodies).toEqual(Array(3).fill(bodies[0]));
    const { body } = await call('GET', `deliveries/${delivery?.id}`);
    expect(body.attemptLog).toMatchObject([
      { httpStatus: 503, errorCode: 'http_5xx', responseExcerpt: 'busy' },
      { httpStatus: 503, errorCode: 'http_5xx' },
      { httpStatus: 200 },
    ]);
  });

  it('fails after the last attempt with the reason, and can then be sent again, to the corrected URL', async () => {
    const redirect = { status: 302, headers: { location: 'https://169.254.169.254/' } };
    app.receiver.respondWith(({ path }) => (path === '/right' ? { status: 200 } : redirect));
    const { id } = await app.subscribe(tenant.admin);
    const event = await app.emit(tenant.id);
    const [failed] = await app.settled(tenant.admin, 'failed');
    expect(failed).toMatchObject({ attempts: 3, lastError: { code: 'redirect', httpStatus: 302 } });
    expect(app.received(event.id)).toHaveLength(3);

    const url = `${app.receiver.url}/right`;
    await call('PATCH', `subscriptions/${id}`, { url });
    expect(await redeliver(failed?.id)).toBe(202);
    expect(await app.settled(tenant.admin, 'delivered')).toMatchObject([{ attempts: 4, url }]);
  });

  it('does not let a dead receiver delay other deliveries', async () => {
    const dead = await app.tenant();
    await app.subscribe(dead.admin, { url: `${app.receiver.url}/dead` });
    await app.subscribe(tenant.admin, { url: `${app.receiver.url}/alive` });
    app.receiver.respondWith((request) => ({ status: request.path === '/dead' ? 500 : 204 }));
    for (let index = 0; index < 40; index += 1) await app.emit(dead.id);
    const event = await app.emit(tenant.id);
    await app.arrival(event.id, 10_000);
    // Throttled, never dropped: every one of them is still in the ledger.
    expect((await app.deliveries(dead.admin, '?size=200')).length).toBe(40);
  });

  it('sends each delivery from one process only when there are several', async () => {
    await app.startSibling();
    await app.subscribe(tenant.admin);
    const events = await Promise.all(Array.from({ length: 30 }, () => app.emit(tenant.id)));
    await app.counted(tenant.admin, 'delivered', 30);
    for (const event of events) expect(app.received(event.id)).toHaveLength(1);
  });

  it('takes over the delivery of a process that died, which can then no longer record an attempt', async () => {
    const { id: subscriptionId } = await app.subscribe(tenant.admin);
    const ledger = app.service.get(LedgerWriter);
    const [id, claim, eventId] = [randomUUID(), randomUUID(), randomUUID()];
    const url = `${app.receiver.url}/hook`;
    const until = new Date(Date.now() + 1_500);
    // What a process leaves that is killed while it waits for an answer.
    const left = newDelivery({ id, subscriptionId, url, dueAt: new Date(), claim: { id: claim, until } });
    await ledger.write(eventEntry(tenant.id, [left], { eventId }));
    expect((await app.arrival(eventId, 10_000)).receivedAt.getTime()).toBeGreaterThanOrEqual(until.getTime());
    expect(await app.settled(tenant.admin, 'delivered')).toMatchObject([{ id, attempts: 1, subscriptionId }]);

    const answer = { httpStatus: 500, responseExcerpt: null, retryAfterMs: null };
    const outcome = { at: new Date(), latencyMs: 1, error: { code: 'http_5xx', message: 'no' }, ...answer } as const;
    const delivery = { tenantId: tenant.id, deliveryId: id, subscriptionId, claim, url } as const;
    const result = { status: 'failed', attempts: 1, outcome, dueAt: null, isHead: false, isSetAside: false } as const;
    expect(await ledger.write({ kind: 'settlement', ...delivery, ...result })).toBe(false);
    expect(await app.deliveries(tenant.admin)).toMatchObject([{ status: 'delivered', attempts: 1 }]);
  });

  it('finds deliveries without a queue when the next process starts', async () => {
    const { id: subscriptionId } = await app.subscribe(tenant.admin);
    const eventId = randomUUID();
    const delivery = newDelivery({ subscriptionId, dueAt: new Date(Date.now() + 60_000) });
    await app.service.get(LedgerWriter).write(eventEntry(tenant.id, [delivery], { eventId }));
    await app.asAdministrator('UPDATE due_delivery SET due_at = now() WHERE delivery_id = $1', [delivery.id]);
    await app.asAdministrator('DELETE FROM subscription_queue WHERE subscription_id = $1', [subscriptionId]);
    await app.startSibling();
    await app.arrival(eventId);
    await app.settled(tenant.admin, 'delivered');
  });

  it('shows deliveries only to administrators of their tenant', async () => {
    await app.subscribe(tenant.admin);
    await app.emit(tenant.id);
    const [delivery] = await app.settled(tenant.admin, 'delivered');
    const stranger = await app.tenant();
    const path = `deliveries/${delivery?.id}`;
    for (const [method, of] of [
      ['GET', path],
      ['POST', `${path}/redeliver`],
    ] as const) {
      const statuses = [stranger.admin, tenant.member].map(
        async (by) => (await call(method, of, undefined, by)).status,
      );
      expect(await Promise.all(statuses)).toEqual([404, 403]);
    }
  });
});

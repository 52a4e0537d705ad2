import { randomUUID } from 'node:crypto';
import { isEventName, isEventPattern } from '@crm/contracts';
import { verifyWebhook } from '@crm/sdk';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ListenedDeliveriesView, TriggeredEventView } from '../src/sandbox/sandbox.dto.js';
import { EVENT_TYPES } from '../src/subscriptions/event-type.js';
import { useMarketplace } from './sandboxes.js';
import { APP_SECRET, gate, useWebhooks } from './webhook-service.js';

const { app, tenant, call } = useWebhooks();

describe('a sample event', () => {
  const { marketplace, developer } = useMarketplace(app);

  const trigger = (event: unknown, { token = developer.admin, appKey = developer.appKey } = {}) =>
    app.service.request<TriggeredEventView & { code: string; detail: string }>(
      'POST',
      `/api/marketplace/developer/apps/${appKey}/trigger`,
      { token, body: { event } },
    );

  it('is the example of the catalogue, of now and this workspace, signed with the secret of the app', async () => {
    const subscriptionId = await marketplace.sandbox(developer, { events: ['deal.*'] });
    app.receiver.respondWith(() => ({ status: 202 }));
    const { status, body } = await trigger('deal.won');
    const outcome = { status: 'delivered', httpStatus: 202, latencyMs: expect.any(Number) };
    const delivery = { id: expect.any(String), subscriptionId, url: `${app.receiver.url}/sandbox`, ...outcome };
    expect(body).toEqual({ eventId: expect.any(String), event: 'deal.won', deliveries: [delivery] });
    expect(status).toBe(200);
    const [request, ...more] = app.received(body.eventId);
    expect(more).toEqual([]);
    const example = EVENT_TYPES.find(({ name }) => name === 'deal.won')?.example;
    const sent = verifyWebhook(request?.body as string, request?.headers ?? {}, developer.secret);
    expect(sent).toEqual({
      ...example,
      id: body.eventId,
      tenantId: developer.id,
      timestamp: expect.not.stringContaining(example?.timestamp as string),
    });
  });

  it('reaches the sandboxes of the app alone, and is not published', async () => {
    const subscriptionId = await marketplace.sandbox(developer);
    await marketplace.install(developer.id, developer);
    await marketplace.sandbox({ ...(await marketplace.developer()), id: developer.id });
    await app.subscribe(developer.admin);
    const stranger = await app.tenant();
    await marketplace.install(stranger.id, developer);
    const { body } = await trigger('lead.created');
    expect(body.deliveries.map((one) => one.subscriptionId)).toEqual([subscriptionId]);
    expect(app.received(body.eventId)).toHaveLength(1);
    const deliveries = await app.deliveries(developer.admin);
    expect(deliveries.map((one) => [one.id, one.eventId])).toEqual([[body.deliveries[0]?.id, body.eventId]]);
    expect(await app.deliveries(stranger.admin)).toEqual([]);
    expect(await app.asAdministrator('SELECT 1 FROM outbox WHERE tenant_id = $1', [developer.id])).toEqual([]);
  });

  it('is attempted once, and shown to a listening session, when the endpoint does not accept it', async () => {
    await marketplace.sandbox(developer);
    app.receiver.respondWith(() => ({ status: 503 }));
    const path = `/api/marketplace/developer/apps/${developer.appKey}/listen`;
    const listen = (query = '') =>
      app.service.request<ListenedDeliveriesView>('GET', `${path}${query}`, { token: developer.admin });
    const { cursor } = (await listen()).body;
    const { body } = await trigger('lead.created');
    expect(body.deliveries).toMatchObject([{ status: 'failed', httpStatus: 503, error: { code: 'http_5xx' } }]);
    expect(await app.deliveries(developer.admin)).toMatchObject([{ status: 'failed', attempts: 1 }]);
    expect((await app.deliveries(developer.admin))[0]?.nextAttemptAt).toBeUndefined();
    const shown = (await listen(`?cursor=${cursor}`)).body.data;
    expect(shown).toMatchObject([{ eventId: body.eventId, body: app.received(body.eventId)[0]?.body }]);
  });

  it('is attempted although the endpoint keeps failing and deliveries to it pause, and shows that it no longer does', async () => {
    await marketplace.sandbox(developer);
    app.receiver.respondWith(() => ({ status: 429, headers: { 'retry-after': '3600' } }));
    await app.emit(developer.id);
    const event = await app.emit(developer.id);
    expect(app.received(event.id)).toEqual([]);
    app.receiver.respondWith(() => ({ status: 200 }));
    expect((await trigger('lead.created')).body.deliveries).toMatchObject([{ status: 'delivered', httpStatus: 200 }]);
    expect(app.received(event.id)).toEqual([]);
  });

  it('is bounded: a workspace has two under way', async () => {
    await marketplace.sandbox(developer);
    const { opened: answered, open: answer } = gate();
    app.receiver.respondWith(() => answered.then(() => ({ status: 200 })));
    const calls = [trigger('lead.created'), trigger('lead.created'), trigger('lead.created')];
    const refused = await Promise.race(calls);
    expect([refused.status, refused.body.code]).toEqual([429, 'RATE_LIMITED']);
    answer();
    expect((await Promise.all(calls)).map(({ status }) => status).sort()).toEqual([200, 200, 429]);
  });

  it('is answered with the outcome of an attempt that moves to the slow lane', async () => {
    await marketplace.sandbox(developer);
    app.receiver.respondWith(async () => {
      // Recorded as pending: the answer of the receiver has outlasted the patience of the first record.
      while ((await app.deliveries(developer.admin)).length === 0);
      return { status: 200 };
    });
    const { body } = await trigger('lead.created');
    expect(body.deliveries).toMatchObject([{ status: 'delivered', httpStatus: 200 }]);
    await app.settled(developer.admin, 'delivered');
  });

  it('passes the address policy like any delivery', async () => {
    await marketplace.sandbox(developer);
    // What was allowed when the subscription was made is refused when it is sent.
    const sql = "UPDATE webhook_subscription SET url = 'https://10.0.0.1/hook' WHERE app_key = $1";
    await app.asAdministrator(sql, [developer.appKey]);
    const { body } = await trigger('lead.created');
    expect(body.deliveries).toMatchObject([{ status: 'blocked', error: { code: 'blocked' } }]);
    expect(app.received(body.eventId)).toEqual([]);
  });

  it('needs a sandbox with an enabled webhook that names the event', async () => {
    expect((await trigger('lead.created')).body).toMatchObject({ code: 'CONFLICT' });
    const id = await marketplace.sandbox(developer);
    const { body } = await trigger('deal.won');
    expect([body.code, body.detail]).toEqual([
      'CONFLICT',
      `No webhook of a sandbox of ${developer.appKey} in this workspace names deal.won`,
    ]);
    await call('PATCH', `subscriptions/${id}`, { enabled: false }, developer.admin);
    expect((await trigger('lead.created')).body.detail).toContain('are disabled');
    expect((await trigger('lead.exploded')).body.code).toBe('VALIDATION_FAILED');
  });

  it('is for administrators of the workspace that publishes the app', async () => {
    await marketplace.sandbox(developer);
    const stranger = await app.tenant();
    expect((await trigger('lead.created', { token: developer.member })).body.code).toBe('FORBIDDEN');
    expect((await trigger('lead.created', { token: stranger.admin })).body.code).toBe('NOT_FOUND');
    expect((await trigger('lead.created', { appKey: 'x'.repeat(300) })).body.code).toBe('NOT_FOUND');
  });
});

describe('a test event', () => {
  beforeEach(() => {
    app.receiver.respondWith(() => ({ status: 200, body: 'thanks' }));
  });

  const test = (id: string, by = app.service) =>
    by.request<{ eventId: string }>('POST', `/api/webhooks/subscriptions/${id}/test`, { token: tenant.admin });

  it('reaches the receiver, signed and with its headers, and says what came of it', async () => {
    const { id, secret } = await app.subscribe(tenant.admin, { headers: { 'x-api-key': 'k-7f3a' } });
    const { status, body } = await test(id);
    const attempt = {
      at: expect.any(String),
      httpStatus: 200,
      latencyMs: expect.any(Number),
      responseExcerpt: 'thanks',
    };
    expect([status, body]).toEqual([200, { eventId: expect.any(String), accepted: true, ...attempt }]);
    const request = await app.arrival(body.eventId);
    expect(request.headers['x-api-key']).toBe('k-7f3a');
    expect(verifyWebhook(request.body, request.headers, secret)).toMatchObject({
      id: body.eventId,
      type: 'webhook.test',
      tenantId: tenant.id,
      data: { subscription: { id, url: `${app.receiver.url}/hook`, events: ['lead.created'] } },
    });
  });

  it('is no event that anybody subscribes to, and is in no ledger', async () => {
    expect([isEventName('webhook.test'), isEventPattern('webhook.test')]).toEqual([false, false]);
    const { id } = await app.subscribe(tenant.admin);
    await test(id);
    expect(await app.deliveries(tenant.admin)).toEqual([]);
  });

  it('says why it failed, and leaves the subscription alone', async () => {
    app.receiver.respondWith(() => ({ status: 410, body: 'gone' }));
    const { id } = await app.subscribe(tenant.admin);
    expect((await test(id)).body).toMatchObject({
      accepted: false,
      httpStatus: 410,
      errorCode: 'http_4xx',
      errorMessage: 'The receiver answered 410',
      responseExcerpt: 'gone',
    });
    expect((await call('GET', `subscriptions/${id}`)).body).toMatchObject({ status: 'active' });
  });

  it('says where it failed when there is no answer, because the address is not public', async () => {
    const { id } = await app.subscribe(tenant.admin);
    await app.asAdministrator('UPDATE webhook_subscription SET url = $2 WHERE id = $1', [id, 'https://127.0.0.2/']);
    const sibling = await app.startSibling();
    expect((await test(id, sibling)).body).toMatchObject({ accepted: false, errorCode: 'blocked', phase: 'policy' });
    await sibling.close();
  });

  it('can be sent while the subscription is paused', async () => {
    const { id } = await app.subscribe(tenant.admin);
    await call('POST', `subscriptions/${id}/pause`);
    expect((await test(id)).body).toMatchObject({ accepted: true });
  });

  it('can be sent to the subscription of an app, signed with the secret of the app', async () => {
    const [subscription] = await app.provision(tenant.id, { appKey: `app-${randomUUID()}` });
    const { body } = await test(subscription?.id as string);
    const request = await app.arrival(body.eventId);
    expect(verifyWebhook(request.body, request.headers, APP_SECRET)).toMatchObject({ type: 'webhook.test' });
  });

  it('is sent one at a time', async () => {
    const { opened: answered, open: answer } = gate();
    app.receiver.respondWith(() => answered.then(() => ({ status: 204 })));
    const { id } = await app.subscribe(tenant.admin, { url: `${app.receiver.url}/${randomUUID()}` });
    const first = test(id);
    await app.receiver.waitFor(({ body }) => body.includes(id));
    expect(await test(id)).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    answer();
    expect((await first).body).toMatchObject({ accepted: true });
    expect((await test(id)).status).toBe(200);
  });
});

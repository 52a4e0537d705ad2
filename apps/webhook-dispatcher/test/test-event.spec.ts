import { createHmac, randomUUID } from 'node:crypto';
import { isEventName, isEventPattern } from '@crm/contracts';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { gate, useWebhooks } from './webhook-service.js';

interface OutcomeJson {
  eventId: string;
  accepted: boolean;
  httpStatus?: number;
  errorCode?: string;
  errorMessage?: string;
  phase?: string;
  responseExcerpt?: string;
  code?: string;
}

describe('a test event', () => {
  const { app, tenant } = useWebhooks();
  beforeEach(() => {
    app.receiver.respondWith(() => ({ status: 200, body: 'thanks' }));
  });

  const test = (id: string, token = tenant.admin) =>
    app.service.request<OutcomeJson>('POST', `/api/webhooks/subscriptions/${id}/test`, { token });

  it('reaches the receiver, signed and with its headers, and says what came of it', async () => {
    const { id, secret } = await app.subscribe(tenant.admin, { headers: { 'x-api-key': 'k-7f3a' } });
    const { status, body } = await test(id);
    expect([status, body]).toEqual([
      200,
      {
        eventId: expect.any(String),
        accepted: true,
        at: expect.any(String),
        httpStatus: 200,
        latencyMs: expect.any(Number),
        responseExcerpt: 'thanks',
      },
    ]);
    const [request] = app.received(body.eventId);
    expect(request?.headers['x-api-key']).toBe('k-7f3a');
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const signed = `${body.eventId}.${request?.headers['webhook-timestamp']}.${request?.body}`;
    expect(request?.headers['webhook-signature']).toBe(
      `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
    );
    expect(JSON.parse(request?.body ?? '')).toMatchObject({
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
    const { body } = await app.service.request('GET', `/api/webhooks/subscriptions/${id}`, { token: tenant.admin });
    expect(body).toMatchObject({ status: 'active' });
  });

  it('says where it failed when there is no answer, because the address is not public', async () => {
    const { id } = await app.subscribe(tenant.admin);
    await app.asAdministrator('UPDATE webhook_subscription SET url = $2 WHERE id = $1', [id, 'https://127.0.0.2/']);
    const sibling = await app.startSibling();
    const path = `/api/webhooks/subscriptions/${id}/test`;
    const { body } = await sibling.request<OutcomeJson>('POST', path, { token: tenant.admin });
    expect(body).toMatchObject({ accepted: false, errorCode: 'blocked', phase: 'policy' });
    await sibling.close();
  });

  it('can be sent while the subscription is paused', async () => {
    const { id } = await app.subscribe(tenant.admin);
    await app.service.request('POST', `/api/webhooks/subscriptions/${id}/pause`, { token: tenant.admin });
    expect((await test(id)).body).toMatchObject({ accepted: true });
  });

  it('can be sent to the subscription of an app, signed with the secret of the app', async () => {
    const [subscription] = await app.provision(tenant.id, { appKey: `app-${randomUUID()}` });
    const { body } = await test(subscription?.id as string);
    const [request] = app.received(body.eventId);
    const signed = `${body.eventId}.${request?.headers['webhook-timestamp']}.${request?.body}`;
    const expected = createHmac('sha256', Buffer.alloc(32, 7)).update(signed).digest('base64');
    expect(request?.headers['webhook-signature']).toBe(`v1,${expected}`);
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

  it('is for administrators of the tenant', async () => {
    const { id } = await app.subscribe(tenant.admin);
    expect((await test(id, (await app.tenant()).admin)).status).toBe(404);
    expect((await test(id, tenant.member)).status).toBe(403);
  });
});

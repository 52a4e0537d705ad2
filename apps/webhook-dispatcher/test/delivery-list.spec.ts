import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type DeliveryJson, type ListJson, startWebhooks, type WebhookService } from './webhook-service.js';

type List = ListJson<DeliveryJson>;

let app: WebhookService;
let tenant: { id: string; admin: string; member: string };
beforeAll(async () => {
  app = await startWebhooks();
});
afterAll(() => app?.close());
beforeEach(async () => {
  tenant = await app.tenant();
  app.receiver.respondWith(() => ({ status: 204 }));
});

const list = (query: string, token = tenant.admin) =>
  app.service.request<List>('GET', `/api/webhooks/deliveries?${query}`, { token });

describe('the list of deliveries', () => {
  it('continues by cursor although new deliveries arrive in between', async () => {
    await app.subscribe(tenant.admin);
    for (let count = 0; count < 5; count += 1) await app.emit(tenant.id);
    const all = await app.settled(tenant.admin, 'delivered');
    const first = (await list('size=2')).body;
    expect(first).toMatchObject({ total: 5, totalIsExact: true, hasMore: true });
    await app.emit(tenant.id);
    const second = (await list(`size=2&cursor=${first.nextCursor}`)).body;
    const third = (await list(`size=2&cursor=${second.nextCursor}`)).body;
    expect([...first.data, ...second.data, ...third.data].map(({ id }) => id)).toEqual(all.map(({ id }) => id));
    expect(third).toMatchObject({ hasMore: false, nextCursor: null });
  });

  it('refuses the cursor of another filter or another tenant', async () => {
    const { id } = await app.subscribe(tenant.admin);
    for (let count = 0; count < 2; count += 1) await app.emit(tenant.id);
    const { nextCursor } = (await list(`size=1&subscriptionId=${id}`)).body;
    expect((await list(`size=1&subscriptionId=${id}&cursor=${nextCursor}`)).status).toBe(200);
    const stranger = await app.tenant();
    const refused = await Promise.all([
      list(`cursor=${nextCursor}`),
      list(`subscriptionId=${id}&status=delivered&cursor=${nextCursor}`),
      list(`subscriptionId=${id}&cursor=${nextCursor}`, stranger.admin),
      list('cursor=abc'),
    ]);
    for (const { status, body } of refused) expect([status, body.code]).toEqual([400, 'INVALID_QUERY']);
  });
});

describe('a call that returns a signing secret', () => {
  it('refuses an Idempotency-Key, because the secret is returned only once', async () => {
    const { id } = await app.subscribe(tenant.admin);
    for (const path of ['/api/webhooks/subscriptions', `/api/webhooks/subscriptions/${id}/rotate-secret`]) {
      const answer = await app.service.request<{ code: string }>('POST', path, {
        token: tenant.admin,
        body: {},
        headers: { 'idempotency-key': 'k' },
      });
      expect([answer.status, answer.body.code]).toEqual([400, 'MALFORMED_REQUEST']);
    }
  });
});

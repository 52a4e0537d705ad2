import { randomUUID } from 'node:crypto';
import { Database } from '@crm/database';
import { verifyWebhook } from '@crm/sdk';
import { describe, expect, it } from '@jest/globals';
import { CustomHeaderService } from '../src/subscriptions/custom-headers.js';
import { SigningSecretService } from '../src/subscriptions/signing-secret.service.js';
import { Subscription } from '../src/subscriptions/subscription.entity.js';
import { useWebhooks } from './webhook-service.js';

const MASK = '********';

interface SubscriptionJson {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly code: string;
  readonly errors: { readonly pointer: string; readonly code: string }[];
}

describe('custom headers of a subscription', () => {
  const { app, tenant } = useWebhooks();

  const call = (method: string, path: string, body?: unknown) =>
    app.service.request<SubscriptionJson>(method, `/api/webhooks/subscriptions${path}`, {
      token: tenant.admin,
      ...(body === undefined ? {} : { body }),
    });

  const delivered = async () => {
    const event = await app.emit(tenant.id);
    return app.receiver.waitFor(({ headers }) => headers['webhook-id'] === event.id);
  };

  it('are sent with each delivery, next to those of the platform', async () => {
    const { secret, ...created } = await app.subscribe(tenant.admin, {
      headers: { Authorization: 'Bearer t0p s3cret', 'x-team': 'sales' },
    });
    expect(created).toMatchObject({ status: 201, headers: { authorization: MASK, 'x-team': MASK } });
    const { headers, body } = await delivered();
    expect(headers).toMatchObject({
      authorization: 'Bearer t0p s3cret',
      'x-team': 'sales',
      'content-type': 'application/json',
    });
    expect(verifyWebhook(body, headers, secret).type).toBe('lead.created');
  });

  it('are sent again with a retry', async () => {
    let attempts = 0;
    app.receiver.respondWith(() => {
      attempts += 1;
      return { status: attempts === 1 ? 500 : 204 };
    });
    await app.subscribe(tenant.admin, { headers: { 'x-team': 'sales' } });
    const event = await app.emit(tenant.id);
    await app.settled(tenant.admin, 'delivered');
    const requests = app.receiver.requests.filter(({ headers }) => headers['webhook-id'] === event.id);
    expect(requests.map(({ headers }) => headers['x-team'])).toEqual(['sales', 'sales']);
    app.receiver.respondWith(() => ({ status: 204 }));
  });

  it('do not replace those of the platform, even if they are stored', async () => {
    const { id, secret } = await app.subscribe(tenant.admin);
    const stored = {
      'webhook-id': 'forged',
      'webhook-signature': 'v1,forged',
      'content-type': 'text/plain',
      'x-ok': '1',
    };
    const sealedHeaders = app.service.get(CustomHeaderService).seal(stored, id);
    await app.service
      .get(Database)
      .transaction(tenant.id, (tx) =>
        tx.repository(Subscription).update({ tenantId: tenant.id, id }, { sealedHeaders }),
      );
    const { headers, body } = await delivered();
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-ok': '1' });
    expect(verifyWebhook(body, headers, secret).type).toBe('lead.created');
  });

  it('are stored sealed, and shown with masked values', async () => {
    const { id } = await app.subscribe(tenant.admin, { headers: { authorization: 'Bearer t0p-s3cret' } });
    const { body: shown } = await call('GET', `/${id}`);
    expect(shown.headers).toEqual({ authorization: MASK });
    const { body: listed } = await call('GET', '');
    expect(listed).toMatchObject({ data: [shown] });
    const { text, sealed } = await app.service.get(Database).transaction(tenant.id, async (tx) => {
      const [row] = await tx.query<{ text: string; sealed: Buffer }>(
        'SELECT webhook_subscription::text AS text, headers AS sealed FROM webhook_subscription',
      );
      return row as { text: string; sealed: Buffer };
    });
    for (const plain of ['authorization', 't0p-s3cret']) {
      expect(text).not.toContain(plain);
      expect(sealed.includes(plain)).toBe(false);
      expect(text).not.toContain(Buffer.from(plain).toString('hex'));
    }
    const headers = app.service.get(CustomHeaderService);
    expect(headers.open(sealed, id)).toEqual({ authorization: 'Bearer t0p-s3cret' });
    expect(() => headers.open(sealed, randomUUID())).toThrow();
    expect(() => app.service.get(SigningSecretService).open(sealed, { subscriptionId: id })).toThrow();
  });

  it('change for the next delivery; the mask keeps a value, what is left out is removed', async () => {
    const { id } = await app.subscribe(tenant.admin, { headers: { 'x-a': 'one', 'x-b': 'two', 'x-c': 'three' } });
    await delivered();
    const changed = await call('PATCH', `/${id}`, { headers: { 'X-A': MASK, 'x-b': 'new' } });
    expect([changed.status, changed.body.headers]).toEqual([200, { 'x-a': MASK, 'x-b': MASK }]);
    const { headers } = await delivered();
    expect([headers['x-a'], headers['x-b'], headers['x-c']]).toEqual(['one', 'new', undefined]);

    expect((await call('PATCH', `/${id}`, { description: 'same headers' })).body.headers).toEqual(changed.body.headers);
    expect((await delivered()).headers['x-a']).toBe('one');
    expect((await call('PATCH', `/${id}`, { headers: null })).body.headers).toEqual({});
    expect((await delivered()).headers).not.toHaveProperty('x-a');
  });

  it('do not go to another URL unless all values are given again', async () => {
    const { id } = await app.subscribe(tenant.admin, { headers: { authorization: 'Bearer t0p-s3cret' } });
    const url = `${app.receiver.url}/elsewhere`;
    const refusals = [{ url }, { url, headers: { authorization: MASK } }].map((changes) =>
      call('PATCH', `/${id}`, changes),
    );
    expect((await Promise.all(refusals)).map(({ status, body }) => [status, body.errors])).toMatchObject([
      [422, [{ pointer: '/headers', code: 'REQUIRED' }]],
      [422, [{ pointer: '/headers/authorization', code: 'MISSING_VALUE' }]],
    ]);
    const { url: same } = (await call('GET', `/${id}`)).body;
    expect((await call('PATCH', `/${id}`, { url: same })).status).toBe(200);
    const moved = await call('PATCH', `/${id}`, { url, headers: { authorization: 'Bearer n3w' } });
    expect([moved.status, moved.body.url]).toEqual([200, url]);
    expect(await delivered()).toMatchObject({ path: '/elsewhere', headers: { authorization: 'Bearer n3w' } });
  });

  it('are refused with a pointer to each', async () => {
    const headers = { 'webhook-id': 'x', Host: 'x', cookie: 'a=b', 'x-fine': 'x', 'x-bad': 'a\r\nb', 'x y': 'x' };
    const refused = await call('POST', '', { events: ['lead.created'], url: `${app.receiver.url}/hook`, headers });
    expect([refused.status, refused.body.code]).toEqual([422, 'VALIDATION_FAILED']);
    expect(refused.body.errors.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
      '/headers/webhook-id RESERVED_HEADER',
      '/headers/Host RESERVED_HEADER',
      '/headers/cookie RESERVED_HEADER',
      '/headers/x-bad INVALID_HEADER_VALUE',
      '/headers/x y INVALID_HEADER_NAME',
    ]);
    const { id } = await app.subscribe(tenant.admin);
    const changed = await call('PATCH', `/${id}`, { headers: { connection: 'close' } });
    expect([changed.status, changed.body.errors]).toMatchObject([422, [{ pointer: '/headers/connection' }]]);
    expect((await call('PATCH', `/${id}`, { headers: ['x-a'] })).status).toBe(422);
  });

  it('are not for subscriptions of apps', async () => {
    const [ofApp] = await app.provision(tenant.id, { installationId: tenant.id });
    expect((await call('PATCH', `/${ofApp?.id}`, { headers: { 'x-a': '1' } })).status).toBe(409);
    expect((await call('GET', `/${ofApp?.id}`)).body).toMatchObject({ headers: {}, signature: 'v1', publicKey: null });
  });
});

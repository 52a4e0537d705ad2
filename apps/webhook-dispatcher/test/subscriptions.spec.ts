import { randomUUID } from 'node:crypto';
import { Database } from '@crm/database';
import { describe, expect, it } from '@jest/globals';
import { SecretService } from '../src/subscriptions/secret.service.js';
import { signerOf } from '../src/subscriptions/signature.js';
import { Subscription } from '../src/subscriptions/subscription.entity.js';
import { SubscriptionService } from '../src/subscriptions/subscription.service.js';
import { envelope, useWebhooks } from './webhook-service.js';

describe('webhook subscriptions', () => {
  const { app, tenant } = useWebhooks();

  const call = <Body = Record<string, unknown>>(method: string, path: string, token: string, body?: unknown) =>
    app.service.request<Body>(method, `/api/webhooks/subscriptions${path}`, {
      token,
      ...(body === undefined ? {} : { body }),
    });

  it('shows the secret of a subscription once and stores it sealed', async () => {
    const { id, secret, status } = await app.subscribe(tenant.admin);
    expect(status).toBe(201);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const { body } = await call('GET', `/${id}`, tenant.admin);
    expect(JSON.stringify(body)).not.toContain('whsec_');
    const [row] = await app.rows<{ text: string }>(
      tenant.id,
      'SELECT webhook_subscription::text AS text FROM webhook_subscription',
    );
    expect(row?.text).not.toContain(secret.slice(6));
    expect(row?.text).not.toContain(Buffer.from(secret).toString('hex'));
    const found = await app.service
      .get(Database)
      .transaction(tenant.id, (tx) => tx.repository(Subscription).findOneByOrFail({ tenantId: tenant.id, id }));
    expect([found.url, found.secret]).toEqual([`${app.receiver.url}/hook`, undefined]);
  });

  it.each([
    'http://hooks.example.com/',
    'https://10.0.0.1/',
    'https://127.0.0.1:1/',
    'https://[::1]/',
    'https://0x7f000001/',
    'https://localhost/',
    'https://metadata.google.internal/',
    'https://user:pass@hooks.example.com/',
    'https://hooks.example.com:8443/',
  ])('refuses a subscription to %s', async (url) => {
    const answer = await app.subscribe(tenant.admin, { url });
    expect([answer.status, answer.code]).toEqual([422, 'WEBHOOK_TARGET_REFUSED']);
  });

  it.each([
    [{ events: [] }],
    [{ events: ['lead.exploded'] }],
    [{ url: 'not a url' }],
    [{ filter: 'lastName ==' }],
    [{ filter: '1' }],
    [{ filter: 'lastName' }],
    [{ filter: 'lastName > 5' }],
    [{ events: ['task.created', 'deal.won'], filter: 'amount == "a lot"' }],
    [{ surprise: 1 }],
    [{ events: 'lead.created' }],
  ])('refuses a subscription with %j', async (changes) => {
    const answer = await app.subscribe(tenant.admin, changes);
    expect([answer.status, answer.code]).toEqual([422, 'VALIDATION_FAILED']);
  });

  it('enables and disables a subscription although its filter is no longer accepted', async () => {
    const { id } = await app.subscribe(tenant.admin, { filter: 'lastName == "Doe"' });
    await app.rows(tenant.id, `UPDATE webhook_subscription SET filter = 'lastName' WHERE id = $1`, [id]);
    expect((await call('PATCH', `/${id}`, tenant.admin, { enabled: false })).status).toBe(200);
    expect((await call('PATCH', `/${id}`, tenant.admin, { events: ['lead.updated'] })).status).toBe(422);
    expect((await call('PATCH', `/${id}`, tenant.admin, { filter: null })).status).toBe(200);
  });

  it('lets administrators change, list and delete subscriptions', async () => {
    const { id } = await app.subscribe(tenant.admin);
    const changed = await call('PATCH', `/${id}`, tenant.admin, { events: ['deal.won'], enabled: false });
    expect(changed.body).toMatchObject({
      events: ['deal.won'],
      enabled: false,
      status: 'paused',
      disabledReason: null,
    });
    expect((await call('GET', `/${id}`, tenant.admin)).body).toEqual(changed.body);
    const enabled = await call('PATCH', `/${id}`, tenant.admin, { enabled: true });
    expect(enabled.body).toMatchObject({ enabled: true, status: 'active', disabledReason: null });
    expect((await call('PATCH', `/${id}`, tenant.admin, { url: 'https://10.0.0.1/' })).status).toBe(422);
    expect((await call<{ data: { id: string }[] }>('GET', '', tenant.admin)).body.data.map((row) => row.id)).toContain(
      id,
    );
    expect((await call('DELETE', `/${id}`, tenant.admin)).status).toBe(204);
    expect((await call('GET', `/${id}`, tenant.admin)).status).toBe(404);
  });

  it('refuses members and hides subscriptions from other tenants', async () => {
    const { id } = await app.subscribe(tenant.admin);
    expect((await call('GET', '', tenant.member)).status).toBe(403);
    const stranger = await app.tenant();
    for (const [method, body] of [['GET'], ['PATCH', { enabled: false }], ['DELETE']] as const) {
      expect((await call(method, `/${id}`, stranger.admin, body)).status).toBe(404);
    }
    expect((await call('POST', `/${id}/rotate-secret`, stranger.admin)).status).toBe(404);
  });

  it('signs with both secrets after a rotation', async () => {
    const { id, secret } = await app.subscribe(tenant.admin, { events: ['task.completed'] });
    const rotated = await call<{ secret: string }>('POST', `/${id}/rotate-secret`, tenant.admin);
    expect(rotated.status).toBe(201);
    expect(rotated.body.secret).not.toBe(secret);
    const event = await app.emit(tenant.id, 'task.completed');
    const request = await app.receiver.waitFor((candidate) => candidate.headers['webhook-id'] === event.id);
    expect(request.headers['webhook-signature']?.split(' ')).toHaveLength(2);
  });

  describe('of an app', () => {
    const provision = (installationId: string, url = 'https://hooks.acme.example.com/in') =>
      app.provision(tenant.id, { installationId, webhooks: [{ events: ['lead.created'], url }] });

    it('creates the subscriptions of an app once and removes them with the installation', async () => {
      const installationId = randomUUID();
      const [first, second] = await Promise.all([provision(installationId), provision(installationId)]);
      expect(first).toEqual(second);
      const id = first?.[0]?.id as string;
      expect((await call('DELETE', `/${id}`, tenant.admin)).status).toBe(409);
      expect((await call('PATCH', `/${id}`, tenant.admin, { url: 'https://elsewhere.example.com/' })).status).toBe(409);
      expect((await call('PATCH', `/${id}`, tenant.admin, { enabled: false })).status).toBe(200);
      expect(await app.service.get(SubscriptionService).remove(tenant.id, installationId, false)).toBe(1);
      expect(await app.service.get(SubscriptionService).remove(tenant.id, installationId, false)).toBe(0);
    });

    it('signs with the secret of the app in every tenant, with both after a rotation', async () => {
      const secrets = app.service.get(SecretService);
      const appKey = `app-${randomUUID()}`;
      const secret = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
      const tenants = [await app.tenant(), await app.tenant()];
      for (const { id } of tenants) {
        await app.provision(id, { appKey, secret: secret(1) });
      }
      const signatures = async (tenantId: string) => {
        const event = await app.emit(tenantId);
        const { headers, body } = await app.receiver.waitFor(
          (candidate) => candidate.headers['webhook-id'] === event.id,
        );
        const { 'webhook-signature': signed, 'webhook-timestamp': timestamp } = headers;
        const known = [1, 2].map(
          (byte) => signerOf([secret(byte)]).headers(event.id, Number(timestamp), body)['webhook-signature'],
        );
        return signed?.split(' ').map((signature) => known.indexOf(signature) + 1);
      };
      for (const { id } of tenants) expect(await signatures(id)).toEqual([1]);
      expect(await secrets.rotateOfApp(appKey, secret(2))).toBe(true);
      for (const { id } of tenants) expect(await signatures(id)).toEqual([2, 1]);
      expect(await secrets.rotateOfApp(`unknown-${appKey}`, secret(2))).toBe(false);
    });

    it('gets the events of objects that the app sees, and does not show the receiver who else sees them', async () => {
      const other = await app.tenant();
      const appKey = `app-${randomUUID()}`;
      const provisioned = await app.provision(other.id, {
        appKey,
        webhooks: [{ events: ['record.created'], url: `${app.receiver.url}/app` }],
      });
      const ofApp = provisioned[0]?.id as string;
      await app.subscribe(other.admin, { events: ['record.created'] });
      const deliveredTo = async (appkeys?: string) => {
        const event = { ...envelope(other.id, 'record.created', { id: randomUUID() }), ...(appkeys && { appkeys }) };
        await app.handle(event);
        const rows = await app.rows<{ subscription: string; body: string }>(
          other.id,
          `SELECT subscription_id AS subscription, body
                 FROM delivery JOIN event_body ON event_body.id = event_id WHERE event_id = $1`,
          [event.id],
        );
        for (const { body } of rows) expect(body).not.toContain('app');
        return rows.map(({ subscription }) => (subscription === ofApp ? 'app' : 'tenant')).sort();
      };
      expect(await deliveredTo()).toEqual(['tenant']);
      expect(await deliveredTo(`${appKey}-2 another`)).toEqual(['tenant']);
      expect(await deliveredTo(`another ${appKey}`)).toEqual(['app', 'tenant']);
    });

    it('creates none of the subscriptions of an app when a URL is not public', async () => {
      await expect(provision(randomUUID(), 'https://192.168.0.1/')).rejects.toMatchObject({
        code: 'WEBHOOK_TARGET_REFUSED',
      });
    });
  });
});

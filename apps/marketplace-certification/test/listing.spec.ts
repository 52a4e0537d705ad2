import { rpc } from '@crm/contracts';
import { NatsConnection, Rpc } from '@crm/messaging';
import { eventOf, publishEvents, testNats, waitUntil } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Fixture, useMarketplace } from './support/fixture.js';
import { type Caller, refusal } from './support/marketplace.js';
import { fieldService, newKey } from './support/packages.js';

let { marketplace, developer, tenant } = {} as Fixture;
useMarketplace((fixture) => {
  ({ marketplace, developer, tenant } = fixture);
});

const keysFor = async (caller: Caller, query = '?size=200') =>
  (await marketplace.request(caller, 'GET', `/apps${query}`)).body.data.map(({ key }) => key);

describe('the list of apps', () => {
  it('shows published apps to every role', async () => {
    const key = await marketplace.published(developer);
    const waiting = newKey();
    await marketplace.submit(developer, fieldService(waiting));
    const viewer = await marketplace.caller('viewer');
    const { status, body } = await marketplace.request(viewer, 'GET', '/apps?size=200');
    expect(status).toBe(200);
    expect(body.data.find((app) => app.key === key)).toEqual({
      key,
      name: 'Field Service',
      kind: 'industry_app',
      summary: 'Work orders for the field',
      version: '1.0.0',
      rating: { average: null, count: 0 },
      installCount: 0,
    });
    expect(body.data.map((app) => app.key)).not.toContain(waiting);
    expect((await marketplace.request(undefined, 'GET', '/apps')).status).toBe(401);
  });

  it('finds apps that contain every word of the search', async () => {
    const key = await marketplace.published(developer, { name: 'Größe 100%_sure' });
    for (const q of ['größe', 'SURE größe', '100%_', key]) {
      expect(await keysFor(tenant, `?q=${encodeURIComponent(q)}`)).toContain(key);
    }
    for (const q of ['größe nothing', '1_0%', '\\']) {
      expect(await keysFor(tenant, `?q=${encodeURIComponent(q)}`)).not.toContain(key);
    }
  });

  it('is divided into pages', async () => {
    for (let i = 0; i < 3; i += 1) await marketplace.publish(developer, newKey(), { name: `Paged ${i}` });
    const page = async (number: number) =>
      (await marketplace.request(tenant, 'GET', `/apps?q=paged&size=2&page=${number}`)).body;
    const [first, second] = [await page(1), await page(2)];
    expect(first.data.map(({ name }) => name)).toEqual(['Paged 0', 'Paged 1']);
    expect(second.data.map(({ name }) => name)).toEqual(['Paged 2']);
    expect(first).toMatchObject({ page: 1, size: 2, total: 3, totalIsExact: true, hasMore: true });
    expect(second).toMatchObject({ hasMore: false });
    expect((await marketplace.request(tenant, 'GET', '/apps?size=201')).status).toBe(400);
  });
});

describe('visibility', () => {
  it('keeps an unlisted app out of the list, but returns it by its key', async () => {
    const key = await marketplace.published(developer, { listing: { visibility: 'unlisted' } });
    expect(await keysFor(tenant)).not.toContain(key);
    expect((await marketplace.request(tenant, 'GET', `/apps/${key}`)).status).toBe(200);
  });

  it('shows a private app to its publisher only', async () => {
    const key = await marketplace.published(developer, { listing: { visibility: 'private' } });
    expect(await keysFor(tenant)).not.toContain(key);
    expect((await marketplace.request(tenant, 'GET', `/apps/${key}`)).body.code).toBe('NOT_FOUND');
    expect(await keysFor(developer)).toContain(key);
    expect((await marketplace.request(developer, 'GET', `/apps/${key}`)).status).toBe(200);
    expect((await marketplace.install(tenant, key)).status).toBe(404);
    expect((await marketplace.request(tenant, 'PUT', `/apps/${key}/rating`, { stars: 5 })).status).toBe(404);
  });
});

describe('the page of an app', () => {
  it('shows what the app requests and brings', async () => {
    const key = await marketplace.published(developer);
    const { body } = await marketplace.request(tenant, 'GET', `/apps/${key}`);
    expect(body).toMatchObject({
      key,
      publisher: { name: `Workspace ${developer.tenantId.slice(-4)}`, supportEmail: 'support@acme.example' },
      visibility: 'public',
      objects: [{ apiName: 'work_order', label: 'Work order' }],
      events: ['lead.created'],
      hosts: ['hooks.acme-dispatch.com'],
      reviews: [],
    });
    expect(body.permissions).toContainEqual({
      scope: 'webhooks',
      purpose: 'Leads are sent to the dispatcher.',
      optional: true,
    });
    expect((await marketplace.request(tenant, 'GET', `/apps/${newKey()}`)).body.code).toBe('NOT_FOUND');
  });
});

describe('ratings', () => {
  it('come from workspaces that have the app installed, one per user', async () => {
    const key = await marketplace.published(developer);
    const rate = (caller: Caller, body: object) => marketplace.request(caller, 'PUT', `/apps/${key}/rating`, body);
    expect((await rate(tenant, { stars: 5 })).body.code).toBe('APP_NOT_INSTALLED');
    const { body: sandboxed } = await marketplace.install(tenant, key, { sandbox: true });
    expect(sandboxed.state).toBe('active');
    expect((await rate(tenant, { stars: 5 })).body.code).toBe('APP_NOT_INSTALLED');
    expect((await marketplace.install(tenant, key)).status).toBe(201);
    const member = await marketplace.caller('member', tenant.tenantId);
    expect((await rate(tenant, { stars: 5, text: 'Good' })).status).toBe(200);
    expect((await rate(tenant, { stars: 4, text: 'Good enough' })).body).toMatchObject({ stars: 4 });
    await Promise.all([rate(member, { stars: 1 }), rate(member, { stars: 1 }), rate(member, { stars: 1 })]);
    const { body } = await marketplace.request(developer, 'GET', `/apps/${key}`);
    expect(body.rating).toEqual({ average: 2.5, count: 2 });
    expect(body.reviews).toEqual([{ stars: 4, text: 'Good enough', at: expect.any(String) }]);
    expect(body.installCount).toBe(1);
  });

  it('lose their text when the user is erased, and keep their stars', async () => {
    const key = await marketplace.published(developer);
    await marketplace.install(tenant, key);
    const [erased, other] = [
      await marketplace.caller('member', tenant.tenantId),
      await marketplace.caller('member', tenant.tenantId),
    ];
    const text = (name: string) => ({ stars: 4, text: `Ask ${name} how we use it` });
    await marketplace.request(erased, 'PUT', `/apps/${key}/rating`, text('Grace Hopper'));
    await marketplace.request(other, 'PUT', `/apps/${key}/rating`, text('Ada Lovelace'));
    const event = eventOf('user.erased', tenant.tenantId, { userId: erased.userId });
    // Of another workspace with the same id: nothing of this one.
    await publishEvents(eventOf('user.erased', developer.tenantId, { userId: other.userId }), event, event);
    const listing = async () => (await marketplace.request(developer, 'GET', `/apps/${key}`)).body;
    await waitUntil(async () => (await listing()).reviews.length === 1, { describe: 'the text is gone' });
    const { reviews, rating } = await listing();
    expect(reviews).toEqual([{ ...text('Ada Lovelace'), at: expect.any(String) }]);
    expect(rating).toEqual({ average: 4, count: 2 });
  });

  it('have one to five stars and are refused to viewers', async () => {
    const key = await marketplace.published(developer);
    for (const stars of [0, 6, 2.5, '5', null]) {
      expect(await refusal(marketplace.request(tenant, 'PUT', `/apps/${key}/rating`, { stars }))).toEqual([
        422,
        'VALIDATION_FAILED',
      ]);
    }
    const viewer = await marketplace.caller('viewer', tenant.tenantId);
    expect((await marketplace.request(viewer, 'PUT', `/apps/${key}/rating`, { stars: 5 })).status).toBe(403);
  });
});

describe('the package schema', () => {
  it('is public and has an id', async () => {
    const { status, headers, body } = await marketplace.request(undefined, 'GET', '/manifest-schema');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('application/schema+json');
    expect(body.$id).toMatch(/^https:/);
  });
});

const connections: NatsConnection[] = [];
/** Calls as another service. */
async function callsOf(service: 'custom-objects' | 'webhook-dispatcher'): Promise<Rpc> {
  const { url, passwords } = testNats();
  const nats = await NatsConnection.open({ url, user: service, password: passwords[service], service });
  connections.push(nats);
  return new Rpc(nats);
}
let customObjects: Rpc;
let dispatcher: Rpc;
beforeAll(async () => {
  customObjects = await callsOf('custom-objects');
  dispatcher = await callsOf('webhook-dispatcher');
});
afterAll(() => Promise.all(connections.map((nats) => nats.close())));

const isKnown = async (appKey: string, { token }: Caller) =>
  (await customObjects.call(rpc.marketplace.isAppKnown, { appKey }, { token })).known;

describe('an app', () => {
  it('is known to everybody once a version was published, and before that to its publisher alone', async () => {
    const key = newKey();
    expect([await isKnown(key, developer), await isKnown(key, tenant)]).toEqual([false, false]);
    await marketplace.submit(developer, fieldService(key));
    expect([await isKnown(key, developer), await isKnown(key, tenant)]).toEqual([true, false]);
    const published = newKey();
    await marketplace.publish(developer, published);
    expect([await isKnown(published, developer), await isKnown(published, tenant)]).toEqual([true, true]);
  });

  it('that is private is known to its publisher, and to a workspace that had installed it before', async () => {
    const key = await marketplace.published(developer);
    const { body } = await marketplace.install(tenant, key);
    await marketplace.publish(developer, key, { version: '1.1.0', listing: { visibility: 'private' } });
    const stranger = await marketplace.caller();
    const known = async () => [await isKnown(key, developer), await isKnown(key, tenant), await isKnown(key, stranger)];
    expect(await known()).toEqual([true, true, false]);
    await marketplace.request(tenant, 'DELETE', `/installs/${body.id}`);
    await marketplace.settled(tenant, body.id, 'uninstalled');
    expect(await known()).toEqual([true, true, false]);
  });

  it('is asked about with any text, and by administrators only', async () => {
    for (const text of ['', 'no key', 'x'.repeat(300), "'--", '\u0000'])
      expect(await isKnown(text, tenant)).toBe(false);
    const member = await marketplace.caller('member', tenant.tenantId);
    await expect(isKnown(newKey(), member)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});

const list = async (appKey: string, { token }: Caller = developer) =>
  (await dispatcher.call(rpc.marketplace.listSandboxes, { appKey }, { token })).installationIds;
const sandbox = async (caller: Caller, key: string) => (await marketplace.install(caller, key, { sandbox: true })).body;

describe('the sandboxes of an app', () => {
  it('are those in the workspace of its publisher, newest first, before publication too', async () => {
    const { key } = await marketplace.submitted(developer);
    expect(await list(key)).toEqual([]);
    const first = await sandbox(developer, key);
    const second = await sandbox(developer, key);
    expect(await list(key)).toEqual([second.id, first.id]);
    await marketplace.request(developer, 'DELETE', `/installs/${first.id}`);
    await marketplace.settled(developer, first.id, 'uninstalled');
    expect(await list(key)).toEqual([second.id]);
  });

  it('are neither live installations nor those of other workspaces or apps', async () => {
    const [key, other] = [newKey(), newKey()];
    await marketplace.publish(developer, key);
    await marketplace.publish(developer, other);
    await marketplace.install(developer, key);
    await sandbox(developer, other);
    expect((await sandbox(tenant, key)).state).toBe('active');
    expect(await list(key)).toEqual([]);
  });

  it('are shown to administrators of the publisher only', async () => {
    const key = await marketplace.published(developer);
    await sandbox(tenant, key);
    await expect(list(key, tenant)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(list(newKey())).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(list('no key', developer)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const member = await marketplace.caller('member', developer.tenantId);
    await expect(list(key, member)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});

import { randomUUID } from 'node:crypto';
import { type AppDelivery, rpc } from '@crm/contracts';
import { NatsConnection, Rpc } from '@crm/messaging';
import { eventOf, publishEvents, testNats, waitUntil } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { developer, marketplace, neighbours, tenant, useMarketplace } from './support/fixture.js';
import { type Caller, refused, refusedWith } from './support/marketplace.js';
import { fieldService, newKey } from './support/packages.js';

useMarketplace();

const keysFor = async (caller: Caller, query = '?size=200') =>
  (await marketplace.get(caller, `/apps${query}`)).body.data.map(({ key }) => key);

describe('the list of apps', () => {
  it('shows published apps to every role', async () => {
    const key = await marketplace.published(developer);
    const waiting = newKey();
    await marketplace.submit(developer, fieldService(waiting));
    const viewer = await marketplace.caller('viewer');
    const { status, body } = await marketplace.get(viewer, '/apps?size=200');
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
    expect((await marketplace.get(undefined, '/apps')).status).toBe(401);
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
    const page = async (number: number) => (await marketplace.get(tenant, `/apps?q=paged&size=2&page=${number}`)).body;
    const [first, second] = [await page(1), await page(2)];
    expect(first.data.map(({ name }) => name)).toEqual(['Paged 0', 'Paged 1']);
    expect(second.data.map(({ name }) => name)).toEqual(['Paged 2']);
    expect(first).toMatchObject({ page: 1, size: 2, total: 3, totalIsExact: true, hasMore: true });
    expect(second).toMatchObject({ hasMore: false });
    expect((await marketplace.get(tenant, '/apps?size=201')).status).toBe(400);
  });
});

describe('visibility', () => {
  it('keeps an unlisted app out of the list, but returns it by its key', async () => {
    const key = await marketplace.published(developer, { listing: { visibility: 'unlisted' } });
    expect(await keysFor(tenant)).not.toContain(key);
    expect((await marketplace.get(tenant, `/apps/${key}`)).status).toBe(200);
  });

  it('shows a private app to its publisher only', async () => {
    const key = await marketplace.published(developer, { listing: { visibility: 'private' } });
    expect(await keysFor(tenant)).not.toContain(key);
    expect((await marketplace.get(tenant, `/apps/${key}`)).body.code).toBe('NOT_FOUND');
    expect(await keysFor(developer)).toContain(key);
    expect((await marketplace.get(developer, `/apps/${key}`)).status).toBe(200);
    expect((await marketplace.install(tenant, key)).status).toBe(404);
    expect((await marketplace.put(tenant, `/apps/${key}/rating`, { stars: 5 })).status).toBe(404);
  });
});

describe('the page of an app', () => {
  it('shows what the app requests and brings', async () => {
    const key = await marketplace.published(developer);
    const { body } = await marketplace.get(tenant, `/apps/${key}`);
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
    expect((await marketplace.get(tenant, `/apps/${newKey()}`)).body.code).toBe('NOT_FOUND');
  });
});

describe('ratings', () => {
  it('come from workspaces that have the app installed, one per user', async () => {
    const key = await marketplace.published(developer);
    const rate = (caller: Caller, body: object) => marketplace.put(caller, `/apps/${key}/rating`, body);
    expect((await rate(tenant, { stars: 5 })).body.code).toBe('APP_NOT_INSTALLED');
    const { body: sandboxed } = await marketplace.install(tenant, key, { sandbox: true });
    expect(sandboxed.state).toBe('active');
    expect((await rate(tenant, { stars: 5 })).body.code).toBe('APP_NOT_INSTALLED');
    expect((await marketplace.install(tenant, key)).status).toBe(201);
    const member = await marketplace.caller('member', tenant.tenantId);
    expect((await rate(tenant, { stars: 5, text: 'Good' })).status).toBe(200);
    expect((await rate(tenant, { stars: 4, text: 'Good enough' })).body).toMatchObject({ stars: 4 });
    await Promise.all([rate(member, { stars: 1 }), rate(member, { stars: 1 }), rate(member, { stars: 1 })]);
    const { body } = await marketplace.get(developer, `/apps/${key}`);
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
    await marketplace.put(erased, `/apps/${key}/rating`, text('Grace Hopper'));
    await marketplace.put(other, `/apps/${key}/rating`, text('Ada Lovelace'));
    const event = eventOf('user.erased', tenant.tenantId, { userId: erased.userId });
    // Of another workspace with the same id: nothing of this one.
    await publishEvents(eventOf('user.erased', developer.tenantId, { userId: other.userId }), event, event);
    const listing = async () => (await marketplace.get(developer, `/apps/${key}`)).body;
    await waitUntil(async () => (await listing()).reviews.length === 1, { describe: 'the text is gone' });
    const { reviews, rating } = await listing();
    expect(reviews).toEqual([{ ...text('Ada Lovelace'), at: expect.any(String) }]);
    expect(rating).toEqual({ average: 4, count: 2 });
  });

  it('have one to five stars', async () => {
    const key = await marketplace.published(developer);
    for (const stars of [0, 6, 2.5, '5', null]) {
      await refused(marketplace.put(tenant, `/apps/${key}/rating`, { stars }), 422, 'VALIDATION_FAILED');
    }
  });
});

describe('the package schema', () => {
  it('is public and has an id', async () => {
    const { status, headers, body } = await marketplace.get(undefined, '/manifest-schema');
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
    await marketplace.delete(tenant, `/installs/${body.id}`);
    await marketplace.settled(tenant, body.id, 'uninstalled');
    expect(await known()).toEqual([true, true, false]);
  });

  it('is asked about with any text, and by administrators only', async () => {
    for (const text of ['', 'no key', 'x'.repeat(300), "'--", '\u0000'])
      expect(await isKnown(text, tenant)).toBe(false);
    const member = await marketplace.caller('member', tenant.tenantId);
    await refusedWith('FORBIDDEN', isKnown(newKey(), member));
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
    await marketplace.delete(developer, `/installs/${first.id}`);
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
    await refusedWith('NOT_FOUND', list(key, tenant));
    await refusedWith('NOT_FOUND', list(newKey()));
    await refusedWith('NOT_FOUND', list('no key', developer));
    const member = await marketplace.caller('member', developer.tenantId);
    await refusedWith('FORBIDDEN', list(key, member));
  });
});

const delivery = (id = randomUUID()): AppDelivery => ({
  id,
  event: 'lead.created',
  eventId: randomUUID(),
  installationId: randomUUID(),
  url: 'https://hooks.acme.example.com/in',
  status: 'failed',
  attempts: 10,
  lastError: { code: 'http_5xx', message: 'The receiver answered 503', httpStatus: 503 },
  latencyMs: 38,
  createdAt: '2026-11-22T09:00:00.000Z',
});

async function owned(): Promise<string> {
  const { key } = await marketplace.submitted(developer);
  return key;
}

const get = (key: string, rest: string, caller = developer) =>
  marketplace.service.request<Record<string, unknown> & { data: unknown[]; code: string; nextCursor: string }>(
    'GET',
    `/api/marketplace/developer/apps/${key}/${rest}`,
    { token: caller.token },
  );

describe('the deliveries of an app', () => {
  it('are what the dispatcher has, page by page', async () => {
    const key = await owned();
    const rows = [delivery(), delivery(), delivery()];
    neighbours.instead(rpc.webhooks.listAppDeliveries, ({ after, limit }) => {
      const begin = rows.findIndex(({ id }) => id === after) + 1;
      return { deliveries: rows.slice(begin, begin + limit), counted: after ? 0 : rows.length };
    });
    const query =
      'status=failed&event=lead.created&errorCode=http_5xx&from=2026-11-22T00:00:00Z&to=2026-11-23T00:00:00Z';
    const first = await get(key, `deliveries?size=2&${query}`);
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ data: rows.slice(0, 2), total: 3, totalIsExact: true, hasMore: true });
    const second = await get(key, `deliveries?size=2&${query}&cursor=${first.body.nextCursor}`);
    expect(second.body).toMatchObject({ data: rows.slice(2), hasMore: false, nextCursor: null });
    const filter = {
      status: 'failed',
      event: 'lead.created',
      errorCode: 'http_5xx',
      from: '2026-11-22T00:00:00Z',
      to: '2026-11-23T00:00:00Z',
    };
    expect(neighbours.callsTo(rpc.webhooks.listAppDeliveries)).toEqual([
      { appKey: key, filter, limit: 3, offset: 0, countLimit: 10_001 },
      { appKey: key, filter, after: rows[1]?.id, limit: 3, offset: 0, countLimit: 0 },
    ]);
    const unfiltered = (await get(key, 'deliveries?size=1')).body.nextCursor;
    expect((await get(key, `deliveries?size=1&cursor=${unfiltered}`)).body.data).toEqual(rows.slice(1, 2));
    // A cursor belongs to its filter and its app.
    for (const [app, text] of [
      [key, 'status=failed'],
      [await owned(), query],
    ] as const) {
      await refused(get(app, `deliveries?${text}&cursor=${first.body.nextCursor}`), 400, 'INVALID_QUERY');
    }
  });

  it('are shown one by one with their attempts', async () => {
    const key = await owned();
    const known = delivery();
    const attempt = { at: '2026-11-22T09:00:00.000Z', errorCode: 'reset', phase: 'headers' as const, latencyMs: 12 };
    neighbours.instead(rpc.webhooks.findAppDelivery, ({ id }) => ({
      found: id === known.id ? { delivery: known, attempts: [attempt] } : null,
    }));
    const { status, body } = await get(key, `deliveries/${known.id}`);
    expect([status, body]).toEqual([200, { ...known, attemptLog: [attempt] }]);
    expect((await get(key, `deliveries/${randomUUID()}`)).body.code).toBe('NOT_FOUND');
  });

  it('are counted by the hour', async () => {
    const key = await owned();
    const counts = { deliveries: 4, delivered: 2, failed: 1, attempts: 6 };
    neighbours.instead(rpc.webhooks.countAppDeliveries, () => ({
      hours: [
        { at: '2026-11-22T08:00:00.000Z', deliveries: 0, delivered: 0, failed: 0, attempts: 0, latencyMs: null },
        { at: '2026-11-22T09:00:00.000Z', ...counts, latencyMs: { p50: 1, p95: 2, p99: 3 } },
      ],
    }));
    const { status, body } = await get(key, 'stats?from=2026-11-22T08:00:00Z');
    expect([status, body.data]).toEqual([
      200,
      [
        { hour: '2026-11-22T08:00:00.000Z', deliveries: 0, delivered: 0, failed: 0, attempts: 0 },
        {
          hour: '2026-11-22T09:00:00.000Z',
          ...counts,
          successRate: 2 / 3,
          latencyMs: { p50: 1, p95: 2, p99: 3 },
        },
      ],
    ]);
    expect(neighbours.callsTo(rpc.webhooks.countAppDeliveries)).toEqual([
      { appKey: key, from: '2026-11-22T08:00:00Z' },
    ]);
  });

  it('are refused with the reason of the dispatcher', async () => {
    const key = await owned();
    neighbours.refuse(
      rpc.webhooks.countAppDeliveries,
      'QUERY_TOO_EXPENSIVE',
      'from: more than 200,000 deliveries since then',
    );
    const tooMany = await get(key, 'stats');
    expect([tooMany.status, tooMany.body.code, tooMany.body.detail]).toEqual([
      422,
      'QUERY_TOO_EXPENSIVE',
      'from: more than 200,000 deliveries since then',
    ]);
    await refused(get(key, 'deliveries?status=lost'), 400, 'INVALID_QUERY');
  });
});

import { randomUUID } from 'node:crypto';
import { type AppDelivery, type Plan, rpc } from '@crm/contracts';
import { eventOf, publishEvents, waitUntil } from '@crm/testing';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  type Body,
  type Caller,
  developer,
  marketplace,
  neighbours,
  quota,
  refused,
  tenant,
  useMarketplace,
} from './support/marketplace.js';
import { fieldService, newKey, reviewPacket } from './support/packages.js';

useMarketplace();

const failing = ({ checks }: Body['certification']) =>
  checks.filter(({ severity, status }) => severity === 'blocker' && status === 'fail').map(({ id }) => id);
const certify = (caller: Caller, manifest: object = {}) =>
  marketplace.post(caller, '/developer/certifications', { manifest });
const ownApps = async () => (await marketplace.get(developer, '/developer/apps')).body.data;

describe('certifying without submitting', () => {
  it('checks a package and stores the result alone, for the workspace that requested it', async () => {
    const key = newKey();
    const { status, body } = await certify(developer, fieldService(key));
    expect([status, body.passed]).toEqual([200, true]);
    expect(body.checks.find(({ id }) => id === 'REV-001')?.status).toBe('skip');
    expect(await ownApps()).toEqual([]);
    await certify(developer, { key: 'no key', version: 7 });
    const sql = 'select app_key, passed, mode from certification order by passed';
    expect(await marketplace.queryOf(developer, sql)).toEqual([
      { app_key: null, passed: false, mode: 'certification' },
      { app_key: key, passed: true, mode: 'certification' },
    ]);
    expect(await marketplace.queryOf(tenant, 'select 1 from certification')).toEqual([]);
  });

  it('links each check to a page that anybody can read', async () => {
    const { body } = await certify(developer, fieldService(newKey()));
    for (const { id, docUrl } of body.checks) {
      // At the public address of the platform, which the gateway has; here the service itself answers.
      const { baseUrl } = marketplace.config.service;
      expect(docUrl.startsWith(`${baseUrl}/docs/`)).toBe(true);
      const page = await fetch(docUrl.replace(baseUrl, marketplace.service.url));
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(await page.text()).toContain(`<h1>${id} `);
    }
    expect(await (await fetch(`${marketplace.service.url}/docs/certification`)).text()).toContain('MAN-001');
    expect((await fetch(`${marketplace.service.url}/docs/certification/MAN-999`)).status).toBe(404);
  });

  it('looks up all host names of a package, up to the number that it may have', async () => {
    const public99 = Array.from({ length: 99 }, (_, index) => `h${index}.example.com`);
    const judged = async (last: string) => {
      const webhooks = [...public99, last].map((host) => ({ events: ['lead.created'], url: `https://${host}/` }));
      const { body } = await certify(developer, { ...fieldService(newKey()), webhooks });
      return body.checks.find(({ id }) => id === 'NET-001');
    };
    expect(await judged('here.example.com')).toMatchObject({ status: 'pass' });
    expect(await judged('inside.example.com')).toMatchObject({
      status: 'fail',
      pointer: '/webhooks/99/url',
      message: "inside.example.com resolves to an address that isn't public.",
    });
  });
});

describe('submitting', () => {
  it('puts a package that passes certification into review', async () => {
    const key = newKey();
    const { status, body } = await marketplace.submit(developer, fieldService(key));
    expect(status).toBe(201);
    expect(body).toMatchObject({ accepted: true, versionStatus: 'in_review', appKey: key, version: '1.0.0' });
    expect(body.certification.passed).toBe(true);
    const { submissionId } = body;
    const version = { version: '1.0.0', versionStatus: 'in_review', submittedAt: expect.any(String), submissionId };
    expect(await ownApps()).toEqual([{ key, name: 'Field Service', kind: 'industry_app', versions: [version] }]);
  });

  it.each([
    ['an unknown scope', { permissions: ['everything'] }, 'SCP-001'],
    ['a private address', { webhooks: [{ events: ['lead.created'], url: 'https://10.0.0.1/' }] }, 'NET-001'],
    ['an unknown member', { colour: 'red' }, 'MAN-001'],
    ['a key that is none', { key: 'No Key' }, 'MAN-001'],
  ])('refuses %s with the failing checks', async (_what, changes, check) => {
    const { status, headers, body } = await marketplace.submit(developer, { ...fieldService(newKey()), ...changes });
    expect(status).toBe(422);
    expect(headers.get('content-type')).toContain('application/problem+json');
    const refusal = { code: 'CERTIFICATION_FAILED', accepted: false, versionStatus: 'certification_failed' };
    expect(body).toMatchObject(refusal);
    expect(failing(body.certification)).toContain(check);
    expect(await ownApps()).toEqual([]);
  });

  it('refuses a package without a review packet', async () => {
    const { status, body } = await marketplace.post(developer, '/developer/apps/submit', {
      manifest: fieldService(newKey()),
    });
    expect([status, body.accepted, failing(body.certification)]).toEqual([422, false, ['REV-001']]);
  });

  it('refuses a body that is not a submission, or has more than a megabyte', async () => {
    for (const body of [{}, { manifest: [] }, { manifest: {}, reviewPacket, extra: 1 }]) {
      await refused(marketplace.post(developer, '/developer/apps/submit', body), 422, 'VALIDATION_FAILED');
    }
    const long = { ...fieldService(newKey()), release: { notes: 'x'.repeat(1_100_000) } };
    await refused(marketplace.submit(developer, long), 413, 'PAYLOAD_TOO_LARGE');
  });

  it('refuses texts that cannot be stored, wherever they occur', async () => {
    for (const manifest of [fieldService(newKey(), { name: 'Field \u0000' }), { key: newKey(), '\u0000': 1 }]) {
      await refused(marketplace.submit(developer, manifest), 422, 'VALIDATION_FAILED');
    }
    const halved = await marketplace.submit(developer, fieldService(newKey(), { name: 'Field \ud800' }));
    expect(halved.status).toBe(422);
  });

  it('stores a package unchanged', async () => {
    const manifest = fieldService(newKey());
    await marketplace.submit(developer, manifest);
    const sql = 'select manifest::text from app_version where app_key = $1';
    expect(await marketplace.query(sql, [manifest.key])).toEqual([{ manifest: JSON.stringify(manifest) }]);
  });

  it('answers 503 while identity does not return the publisher', async () => {
    neighbours.refuse(rpc.identity.getTenant, 'SERVICE_UNAVAILABLE');
    expect((await marketplace.submit(developer, fieldService(newKey()))).status).toBe(503);
  });
});

describe('a submission with an Idempotency-Key', () => {
  const submit = (manifest: object) =>
    marketplace.post(developer, '/developer/apps/submit', { manifest, reviewPacket }, { 'idempotency-key': 'k' });

  it('is accepted once, and repeated calls return its present state', async () => {
    const manifest = fieldService(newKey());
    const first = await submit(manifest);
    expect(first).toMatchObject({ status: 201, body: { versionStatus: 'in_review' } });
    const again = await submit(manifest);
    expect([again.status, again.body]).toEqual([201, first.body]);
    await refused(submit({ ...manifest, version: '2.0.0' }), 422, 'IDEMPOTENCY_KEY_REUSED');
    await marketplace.decide(first.body.submissionId, 'publish', 'The warnings are known.');
    const later = await submit(manifest);
    expect(later.body).toMatchObject({ submissionId: first.body.submissionId, versionStatus: 'published' });
    // Without the key it is another submission, of a version that exists already.
    expect((await marketplace.submit(developer, manifest)).body.code).toBe('CERTIFICATION_FAILED');
  });

  it('is accepted once when the calls arrive at the same time', async () => {
    const manifest = fieldService(newKey());
    const answers = await Promise.all(Array.from({ length: 5 }, () => submit(manifest)));
    const accepted = answers.filter(({ status }) => status === 201);
    expect(new Set(accepted.map(({ body }) => body.submissionId)).size).toBe(1);
    for (const { status, body } of answers.filter((answer) => answer.status !== 201)) {
      expect([status, body.code]).toEqual([409, 'IDEMPOTENCY_KEY_IN_USE']);
    }
  });

  it('can be repeated after it was refused', async () => {
    const key = newKey();
    expect((await submit({ ...fieldService(key), version: 'none' })).status).toBe(422);
    expect((await submit(fieldService(key))).status).toBe(201);
  });
});

describe('keys and versions', () => {
  it('belong to the first publisher', async () => {
    const { key } = await marketplace.submitted(developer);
    const { status, body } = await marketplace.submit(tenant, fieldService(key, { version: '2.0.0' }));
    expect(status).toBe(422);
    expect(failing(body.certification)).toEqual(['MAN-002']);
  });

  it('only increase, even after a version was withdrawn', async () => {
    const { key } = await marketplace.submitted(developer, { version: '1.10.0' });
    await marketplace.post(developer, `/developer/apps/${key}/versions/1.10.0/withdraw`);
    for (const version of ['1.9.0', '1.10.0', '1.10.0-rc.1']) {
      const { status, body } = await marketplace.submit(developer, fieldService(key, { version }));
      expect([version, status]).toEqual([version, 422]);
      expect(failing(body.certification)).toEqual(['MAN-003']);
    }
    expect((await marketplace.submit(developer, fieldService(key, { version: '1.11.0' }))).status).toBe(201);
  });

  it.each([
    ['accept one of many simultaneous submissions of a version', 'MAN-003', async () => developer],
    ['give a key to one of many publishers who submit it at once', 'MAN-002', () => marketplace.caller('owner')],
  ])('%s', async (_what, check, publisher) => {
    const manifest = fieldService(newKey());
    const publishers = await Promise.all(Array.from({ length: 5 }, publisher));
    const answers = await Promise.all(publishers.map((one) => marketplace.submit(one, manifest)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422, 422]);
    for (const { status, body } of answers) {
      if (status === 422) expect(failing(body.certification)).toEqual([check]);
    }
  });
});

describe('withdrawing', () => {
  const withdraw = (key: string, version = '1.0.0') =>
    marketplace.post(developer, `/developer/apps/${key}/versions/${version}/withdraw`);

  it('withdraws a version once, and none that is published', async () => {
    const { key } = await marketplace.submitted(developer);
    const first = await withdraw(key);
    expect([first.status, first.body.versionStatus]).toEqual([200, 'withdrawn']);
    await refused(withdraw(key), 409, 'SUBMISSION_STATE');
    await refused(withdraw(await marketplace.published(developer)), 409, 'SUBMISSION_STATE');
  });

  it('finds no version that does not exist', async () => {
    const { key } = await marketplace.submitted(developer);
    for (const answer of [withdraw(key, '9.9.9'), withdraw('none')]) await refused(answer, 404, 'NOT_FOUND');
    await refused(withdraw('a%00b', '1'), 400, 'MALFORMED_REQUEST');
  });
});

const isTenant = (more: { plan?: Plan; verified?: boolean }) =>
  neighbours.instead(rpc.identity.getTenant, ({ tenantId }) => ({
    id: tenantId,
    name: 'Acme',
    plan: 'developer' as const,
    timeZone: 'UTC',
    country: null,
    ...more,
  }));

it('a workspace whose address is not verified certifies, and submits nothing', async () => {
  isTenant({ verified: false });
  expect((await certify(developer)).status).toBe(200);
  const submit = () => marketplace.submit(developer, fieldService(newKey()));
  await refused(submit(), 403, 'EMAIL_NOT_VERIFIED');
  isTenant({ verified: true });
  expect((await submit()).status).toBe(201);
});

describe('the quotas of a publisher', () => {
  beforeEach(() => {
    const quotas = { certifications: { ...quota(2), enterprise: 3 }, submissions: quota(2) };
    jest.replaceProperty(marketplace.config, 'quotas', quotas);
  });

  it('stop certifications by plan, failed ones included, and not those of another workspace', async () => {
    expect((await certify(developer)).body).toMatchObject({ passed: false });
    expect((await certify(developer, fieldService(newKey()))).status).toBe(200);
    const { status, headers, body } = await certify(developer, fieldService(newKey()));
    expect([status, body.code]).toEqual([429, 'RATE_LIMITED']);
    expect(body.detail).toBe('Limit reached: 2 certifications per day');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(80_000);
    expect((await certify(await marketplace.caller('owner'))).status).toBe(200);
    isTenant({ plan: 'enterprise' });
    expect((await certify(developer)).status).toBe(200);
    expect((await certify(developer)).status).toBe(429);
  });

  it('stop submissions, failed ones included, also after a restart', async () => {
    expect((await marketplace.submit(developer, {})).status).toBe(422);
    expect((await marketplace.submit(developer, fieldService(newKey()))).status).toBe(201);
    await marketplace.restart();
    const { status, body } = await marketplace.submit(developer, fieldService(newKey()));
    expect([status, body.detail]).toEqual([429, 'Limit reached: 2 submissions per day']);
  });

  it('do not refuse the repetition of a submission that was within them', async () => {
    const body = { manifest: fieldService(newKey()), reviewPacket };
    const submit = () => marketplace.post(developer, '/developer/apps/submit', body, { 'idempotency-key': 'again' });
    const first = await submit();
    await marketplace.submit(developer, fieldService(newKey()));
    const again = await submit();
    expect([again.status, again.body.submissionId]).toEqual([201, first.body.submissionId]);
    expect((await marketplace.submit(developer, fieldService(newKey()))).status).toBe(429);
  });
});

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
    expect(first).toMatchObject({ page: 1, size: 2, total: 3, totalIsExact: true, hasMore: true });
    expect(first.data.map(({ name }) => name)).toEqual(['Paged 0', 'Paged 1']);
    expect(second).toMatchObject({ data: [{ name: 'Paged 2' }], hasMore: false });
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

it('the page of an app shows what it requests and brings', async () => {
  const key = await marketplace.published(developer);
  const { body } = await marketplace.get(tenant, `/apps/${key}`);
  expect(body).toMatchObject({
    key,
    publisher: { name: `Workspace ${developer.tenantId.slice(-4)}`, supportEmail: 'support@acme.example' },
    visibility: 'public',
    objects: [{ apiName: 'work_order', label: 'Work order' }],
    events: ['lead.created'],
    hosts: ['hooks.acme-dispatch.com'],
    hostUses: [{ host: 'hooks.acme-dispatch.com', sections: ['webhooks'] }],
    reviews: [],
  });
  expect(body.permissions).toContainEqual({
    scope: 'webhooks',
    purpose: 'Leads are sent to the dispatcher.',
    optional: true,
  });
  expect((await marketplace.get(tenant, `/apps/${newKey()}`)).body.code).toBe('NOT_FOUND');
});

it('the page of an app names every host that the app talks to, and for what', async () => {
  const request = { type: 'http_request' as const, url: 'https://api.acme.example.com:443/{{title}}?q={{title}}' };
  const [automation] = fieldService('').automations ?? [];
  const key = await marketplace.published(developer, {
    automations: [{ ...automation, actions: [request, { ...request, url: 'https://geo.example.com/' }] }] as never,
    connector: {
      streams: [
        {
          ...{ name: 'orders', url: 'https://api.acme.example.com/orders', primaryKey: 'id' },
          ...{ destinationObject: 'work_order', mapping: { name: 'title' } },
        },
      ],
    },
    assistant: { mcpServers: ['https://mcp.acme.example.com/', { url: 'https://tools.example.com/' }] },
    embed: { allowedOrigins: ['https://portal.acme.example.com'] },
    oauth: { redirectUris: ['https://portal.acme.example.com/callback', 'https://login.acme.example.com/callback'] },
  });
  const { body } = await marketplace.get(tenant, `/apps/${key}`);
  expect(body.hostUses).toEqual([
    { host: 'api.acme.example.com', sections: ['automations', 'connector'] },
    { host: 'geo.example.com', sections: ['automations'] },
    { host: 'hooks.acme-dispatch.com', sections: ['webhooks'] },
    { host: 'login.acme.example.com', sections: ['oauth'] },
    { host: 'mcp.acme.example.com', sections: ['assistant'] },
    { host: 'portal.acme.example.com', sections: ['embed', 'oauth'] },
    { host: 'tools.example.com', sections: ['assistant'] },
  ]);
  expect(body.hosts).toEqual(body.hostUses.map(({ host }) => host));
});

describe('ratings', () => {
  it('come from workspaces that have the app installed, one per user, of one to five stars', async () => {
    const key = await marketplace.published(developer);
    const rate = (caller: Caller, body: object) => marketplace.put(caller, `/apps/${key}/rating`, body);
    expect((await rate(tenant, { stars: 5 })).body.code).toBe('APP_NOT_INSTALLED');
    const { body: sandboxed } = await marketplace.install(tenant, key, { sandbox: true });
    expect(sandboxed.state).toBe('active');
    expect((await rate(tenant, { stars: 5 })).body.code).toBe('APP_NOT_INSTALLED');
    expect((await marketplace.install(tenant, key)).status).toBe(201);
    for (const stars of [0, 6, 2.5, '5', null]) await refused(rate(tenant, { stars }), 422, 'VALIDATION_FAILED');
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
    const member = () => marketplace.caller('member', tenant.tenantId);
    const [erased, other] = [await member(), await member()];
    const text = (name: string) => ({ stars: 4, text: `Ask ${name} how we use it` });
    await marketplace.put(erased, `/apps/${key}/rating`, text('Grace Hopper'));
    await marketplace.put(other, `/apps/${key}/rating`, text('Ada Lovelace'));
    const event = eventOf('user.erased', tenant.tenantId, { userId: erased.userId });
    // Another workspace's user with the same id: this one keeps its own.
    await publishEvents(eventOf('user.erased', developer.tenantId, { userId: other.userId }), event, event);
    const listing = async () => (await marketplace.get(developer, `/apps/${key}`)).body;
    await waitUntil(async () => (await listing()).reviews.length === 1, { describe: 'the text is gone' });
    const { reviews, rating } = await listing();
    expect(reviews).toEqual([{ ...text('Ada Lovelace'), at: expect.any(String) }]);
    expect(rating).toEqual({ average: 4, count: 2 });
  });
});

it('the package schema is public and has an id', async () => {
  const { status, headers, body } = await marketplace.get(undefined, '/manifest-schema');
  expect(status).toBe(200);
  expect(headers.get('content-type')).toContain('application/schema+json');
  expect(body.$id).toMatch(/^https:/);
});

const delivery = (id = randomUUID()): AppDelivery => ({
  id,
  event: 'lead.created',
  eventId: randomUUID(),
  installationId: randomUUID(),
  url: 'https://hooks.acme.example.com/in',
  status: 'failed',
  attempts: 10,
  lastError: { code: 'http_5xx', message: 'The endpoint returned 503', httpStatus: 503 },
  latencyMs: 38,
  createdAt: '2026-11-22T09:00:00.000Z',
});

describe('the deliveries of an app', () => {
  let key: string;
  beforeEach(async () => {
    ({ key } = await marketplace.submitted(developer));
  });

  const get = (rest: string, app = key) => marketplace.get(developer, `/developer/apps/${app}/${rest}`);

  it('are what the dispatcher has, page by page', async () => {
    const rows = [delivery(), delivery(), delivery()];
    neighbours.instead(rpc.webhooks.listAppDeliveries, ({ after, limit }) => {
      const begin = rows.findIndex(({ id }) => id === after) + 1;
      return { deliveries: rows.slice(begin, begin + limit), counted: after ? 0 : rows.length };
    });
    const [from, to] = ['2026-11-22T00:00:00Z', '2026-11-23T00:00:00Z'];
    const filter = { status: 'failed', event: 'lead.created', errorCode: 'http_5xx', from, to };
    const query = new URLSearchParams(filter).toString();
    const first = await get(`deliveries?size=2&${query}`);
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ data: rows.slice(0, 2), total: 3, totalIsExact: true, hasMore: true });
    const second = await get(`deliveries?size=2&${query}&cursor=${first.body.nextCursor}`);
    expect(second.body).toMatchObject({ data: rows.slice(2), hasMore: false, nextCursor: null });
    expect(neighbours.callsTo(rpc.webhooks.listAppDeliveries)).toEqual([
      { appKey: key, filter, limit: 3, offset: 0, countLimit: 10_001 },
      { appKey: key, filter, after: rows[1]?.id, limit: 3, offset: 0, countLimit: 0 },
    ]);
    const unfiltered = (await get('deliveries?size=1')).body.nextCursor;
    expect((await get(`deliveries?size=1&cursor=${unfiltered}`)).body.data).toEqual(rows.slice(1, 2));
    // A cursor belongs to its filter and its app.
    const continued = (text: string) => `deliveries?${text}&cursor=${first.body.nextCursor}`;
    await refused(get(continued('status=failed')), 400, 'INVALID_QUERY');
    const { key: other } = await marketplace.submitted(developer);
    await refused(get(continued(query), other), 400, 'INVALID_QUERY');
  });

  it('are shown one by one with their attempts', async () => {
    const known = delivery();
    const attempt = { at: '2026-11-22T09:00:00.000Z', errorCode: 'reset', phase: 'headers' as const, latencyMs: 12 };
    neighbours.instead(rpc.webhooks.findAppDelivery, ({ id }) => ({
      found: id === known.id ? { delivery: known, attempts: [attempt] } : null,
    }));
    const { status, body } = await get(`deliveries/${known.id}`);
    expect([status, body]).toEqual([200, { ...known, attemptLog: [attempt] }]);
    expect((await get(`deliveries/${randomUUID()}`)).body.code).toBe('NOT_FOUND');
  });

  it('are counted by the hour', async () => {
    const none = { deliveries: 0, delivered: 0, failed: 0, attempts: 0 };
    const counts = { deliveries: 4, delivered: 2, failed: 1, attempts: 6 };
    const latencyMs = { p50: 1, p95: 2, p99: 3 };
    const [eight, nine] = ['2026-11-22T08:00:00.000Z', '2026-11-22T09:00:00.000Z'] as const;
    neighbours.instead(rpc.webhooks.countAppDeliveries, () => ({
      hours: [
        { at: eight, ...none, latencyMs: null },
        { at: nine, ...counts, latencyMs },
      ],
    }));
    const { status, body } = await get('stats?from=2026-11-22T08:00:00Z');
    expect([status, body.data]).toEqual([
      200,
      [
        { hour: eight, ...none },
        { hour: nine, ...counts, successRate: 2 / 3, latencyMs },
      ],
    ]);
    expect(neighbours.callsTo(rpc.webhooks.countAppDeliveries)).toEqual([
      { appKey: key, from: '2026-11-22T08:00:00Z' },
    ]);
  });

  it('are refused with the reason of the dispatcher', async () => {
    const reason = 'from: more than 200,000 deliveries since then';
    neighbours.refuse(rpc.webhooks.countAppDeliveries, 'QUERY_TOO_EXPENSIVE', reason);
    const tooMany = await get('stats');
    expect([tooMany.status, tooMany.body]).toMatchObject([422, { code: 'QUERY_TOO_EXPENSIVE', detail: reason }]);
    await refused(get('deliveries?status=lost'), 400, 'INVALID_QUERY');
  });
});

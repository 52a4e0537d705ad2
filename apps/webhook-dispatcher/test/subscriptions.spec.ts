import { randomUUID } from 'node:crypto';
import { EVENT_NAMES, type EventEnvelope } from '@crm/contracts';
import { Database } from '@crm/database';
import { NatsConnection } from '@crm/messaging';
import { verifyWebhook } from '@crm/sdk';
import type { ReceivedRequest, TestService } from '@crm/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { RemovedSubscriptionSweeper } from '../src/subscriptions/removed-subscription.sweeper.js';
import { SecretService } from '../src/subscriptions/secret.service.js';
import { SubscriptionService } from '../src/subscriptions/subscription.service.js';
import { envelope, SUBSCRIPTIONS_PER_TENANT as LIMIT, type ListJson, useWebhooks, verdict } from './webhook-service.js';

const { app, tenant, call } = useWebhooks();
const secretOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;

/** Locks of changes of subscriptions that transactions hold. $1: tenant. */
const HELD_LOCKS = `
  SELECT count(*)::int AS held FROM pg_locks
   WHERE database = (SELECT oid FROM pg_database WHERE datname = current_database())
     AND (relation = 'webhook_subscription'::regclass AND mode IN ('RowShareLock', 'RowExclusiveLock')
       OR locktype = 'advisory'
          AND (classid::bigint << 32) | objid::bigint = hashtextextended('webhook_subscriptions:' || $1::text, 0))`;

describe('webhook subscriptions', () => {
  it.each([
    ...['http://hooks.example.com/', 'https://10.0.0.1/', 'https://127.0.0.1:1/', 'https://[::1]/'],
    ...['https://0x7f000001/', 'https://localhost/', 'https://metadata.google.internal/'],
    ...['https://user:pass@hooks.example.com/', 'https://hooks.example.com:8443/'],
  ])('refuses a subscription to %s', async (url) => {
    const answer = await app.subscribe(tenant.admin, { url });
    expect([answer.status, answer.code]).toEqual([422, 'WEBHOOK_TARGET_REFUSED']);
  });

  it.each([
    { events: [] },
    { events: 'lead.created' },
    ...['lead.exploded', '*', '*.*', 'lead', 'lead.', 'lead.cre*', 'opportunity.*', '*.created'].map((event) => ({
      events: ['lead.created', event],
    })),
    { url: 'not a url' },
    ...['lastName ==', '1', 'lastName', 'lastName > 5'].map((filter) => ({ filter })),
    { events: ['task.created', 'deal.won'], filter: 'amount == "a lot"' },
    { events: ['task.*', 'deal.*'], filter: 'amount == "a lot"' },
    // Only `app.upgraded` declares it.
    { events: ['app.*'], filter: 'previousVersion > 5' },
    ...[0, 1001, 1.5, '5'].map((rateLimit) => ({ rateLimit })),
    ...['v2', null, ['v1a']].map((signature) => ({ signature })),
    { ordering: 'total' },
    { surprise: 1 },
  ])('refuses a subscription with %j', async (changes) => {
    const answer = await app.subscribe(tenant.admin, changes);
    expect([answer.status, answer.code]).toEqual([422, 'VALIDATION_FAILED']);
  });

  it('accepts a filter on what the events declare, and stays usable when its filter is no longer accepted', async () => {
    // A name that an event does not declare has no type.
    for (const changes of [
      { events: ['deal.*'], filter: 'amount > 1000' },
      { events: ['app.installed'], filter: 'previousVersion > 5' },
    ])
      expect((await app.subscribe(tenant.admin, changes)).status).toBe(201);
    const { id } = await app.subscribe(tenant.admin, { filter: 'lastName == "Doe"' });
    await app.rows(tenant.id, `UPDATE webhook_subscription SET filter = 'lastName' WHERE id = $1`, [id]);
    const patch = async (changes: object) => (await call('PATCH', `subscriptions/${id}`, changes)).status;
    expect(await patch({ enabled: false })).toBe(200);
    expect(await patch({ events: ['lead.updated'] })).toBe(422);
    expect(await patch({ filter: null })).toBe(200);
  });

  it('lets API keys send events of users only with the scope of these events', async () => {
    const [narrow, wide] = [await tenant.keyWith('webhooks'), await tenant.keyWith('webhooks', 'users:read')];
    for (const events of [['user.created'], ['lead.created', 'user.*']]) {
      const refused = await app.subscribe(narrow, { events });
      expect([refused.status, refused.code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
      expect((await app.subscribe(wide, { events })).status).toBe(201);
    }
    const { id, status } = await app.subscribe(narrow);
    expect(status).toBe(201);
    const { id: ofUsers } = await app.subscribe(tenant.admin, { events: ['user.*'] });
    const patch = async (token: string, of: string, body: object) =>
      (await app.call(token, 'PATCH', `subscriptions/${of}`, body)).status;
    expect(await patch(narrow, id, { events: ['user.erased'] })).toBe(403);
    // The URL is an address of the key's holder.
    expect(await patch(narrow, ofUsers, { url: `${app.receiver.url}/elsewhere` })).toBe(403);
    expect(await patch(wide, ofUsers, { url: `${app.receiver.url}/elsewhere` })).toBe(200);
    expect(await patch(narrow, ofUsers, { enabled: false })).toBe(200);
  });

  it('lets administrators change, list and delete subscriptions', async () => {
    const { id, ...created } = await app.subscribe(tenant.admin);
    expect(created).toMatchObject({ ordering: 'none', onStall: 'skip' });
    const path = `subscriptions/${id}`;
    const input = { events: ['deal.*'], rateLimit: 5, enabled: false, ordering: 'record', onStall: 'hold' };
    const changed = await call('PATCH', path, input);
    expect(changed.body).toMatchObject({ ...input, status: 'paused', disabledReason: null });
    expect((await call('GET', path)).body).toEqual(changed.body);
    const enabled = await call('PATCH', path, { enabled: true, rateLimit: null });
    expect(enabled.body).toMatchObject({ enabled: true, status: 'active', disabledReason: null, rateLimit: null });
    expect((await call('PATCH', path, { url: 'https://10.0.0.1/' })).status).toBe(422);
    expect((await call('PATCH', path, { rateLimit: 0 })).status).toBe(422);
    expect((await call('GET', 'subscriptions')).body).toMatchObject({ data: [{ id }] });
    expect((await call('DELETE', path)).status).toBe(204);
    expect((await call('GET', path)).status).toBe(404);
  });

  it('are in the audit trail when they and their secrets change, by the name of the host and no path', async () => {
    const locks: number[] = [];
    app.whileRecording(async () => {
      const [found] = await app.asAdministrator<{ held: number }>(HELD_LOCKS, [tenant.id]);
      locks.push(found?.held ?? -1);
    });
    const { id } = await app.subscribe(tenant.admin);
    await call('PATCH', `subscriptions/${id}`, { events: ['lead.*'], description: 'All' });
    for (const action of ['pause', 'resume', 'rotate-secret', 'revoke-previous-secret'])
      await call('POST', `subscriptions/${id}/${action}`);
    await call('DELETE', `subscriptions/${id}`);
    expect(await call('DELETE', `subscriptions/${id}`)).toMatchObject({ status: 404 });
    const { host } = new URL(app.receiver.url);
    expect(app.actsOn(id)).toEqual([
      { action: 'webhook.added', subjectId: id, detail: { host, events: ['lead.created'] } },
      { action: 'webhook.changed', subjectId: id, detail: { events: ['lead.*'], changed: ['events', 'description'] } },
      { action: 'webhook.paused', subjectId: id, detail: {} },
      { action: 'webhook.resumed', subjectId: id, detail: {} },
      { action: 'webhook_secret.issued', subjectId: id },
      { action: 'webhook_secret.previous_revoked', subjectId: id },
      { action: 'webhook.removed', subjectId: id, detail: {} },
    ]);
    // No transaction, and so no connection, waits for identity.
    expect(locks).toEqual([0, 0, 0, 0, 0, 0, 0]);
    app.whileRecording(async () => undefined);
  });

  it('are not in the audit trail when their change is refused', async () => {
    const [installed] = await app.provision(tenant.id);
    const id = installed?.id as string;
    const path = `subscriptions/${id}`;
    expect(await call('PATCH', path, { description: 'Ours' })).toMatchObject({ status: 409 });
    expect(await call('DELETE', path)).toMatchObject({ status: 409 });
    expect(await call('POST', `${path}/rotate-secret`)).toMatchObject({ status: 404 });
    expect(await call('POST', `${path}/revoke-previous-secret`)).toMatchObject({ status: 404 });
    expect(app.actsOn(id)).toEqual([]);
  });

  it('refuses an Idempotency-Key where a secret is returned, because that happens only once', async () => {
    const { id } = await app.subscribe(tenant.admin);
    const options = { token: tenant.admin, body: {}, headers: { 'idempotency-key': 'k' } };
    for (const path of ['subscriptions', `subscriptions/${id}/rotate-secret`]) {
      const answer = await app.service.request('POST', `/api/webhooks/${path}`, options);
      expect(answer).toMatchObject({ status: 400, body: { code: 'MALFORMED_REQUEST' } });
    }
  });
});

describe('event names as users meet them', () => {
  it('delivers every event of a domain, once for each subscription however its patterns overlap', async () => {
    const wide = await app.subscribe(tenant.admin, { events: ['lead.*', 'lead.created', 'lead.*'] });
    const narrow = await app.subscribe(tenant.admin, { events: ['lead.created', 'deal.won'] });
    // The events in the given order, each once.
    expect(wide).toMatchObject({ status: 201, events: ['lead.*', 'lead.created'] });
    for (const name of ['lead.created', 'lead.updated', 'lead.deleted', 'contact.created', 'deal.won'] as const)
      await app.emit(tenant.id, name);
    await app.settled(tenant.admin, 'delivered');
    const eventsOf = async ({ id }: { id: string }) =>
      (await app.deliveries(tenant.admin, `?subscriptionId=${id}`)).map(({ event }) => event).sort();
    expect(await eventsOf(wide)).toEqual(['lead.created', 'lead.deleted', 'lead.updated']);
    expect(await eventsOf(narrow)).toEqual(['deal.won', 'lead.created']);
  });

  it('are listed with their descriptions', async () => {
    const { status, body } = await call<{ data: { name: string }[] }>('GET', 'event-types');
    expect([status, body.data.map(({ name }) => name)]).toEqual([200, EVENT_NAMES]);
    const dataschema = 'urn:crm:event:lead.created:v1';
    const schema = { $id: dataschema, properties: { lastName: { type: 'string' } } };
    const example = { type: 'lead.created', dataschema, data: { lastName: 'Lovelace' } };
    expect(body.data[0]).toMatchObject({ domain: 'lead', version: 1, dataschema, schema, example });
  });
});

describe('subscriptions of an app', () => {
  const provision = (installationId: string, url = 'https://hooks.acme.example.com/in') =>
    app.provision(tenant.id, { installationId, webhooks: [{ events: ['task.*', 'webhook.endpoint_disabled'], url }] });

  it('are created once, for public URLs, and removed with the installation', async () => {
    const installationId = randomUUID();
    const [first, second] = await Promise.all([provision(installationId), provision(installationId)]);
    expect(first).toEqual(second);
    expect(first).toMatchObject([{ events: ['task.*', 'webhook.endpoint_disabled'] }]);
    const path = `subscriptions/${first?.[0]?.id}`;
    const patch = async (changes: object) => (await call('PATCH', path, changes)).status;
    expect((await call('DELETE', path)).status).toBe(409);
    expect(await patch({ url: 'https://elsewhere.example.com/' })).toBe(409);
    expect([await patch({ headers: { 'x-a': '1' } }), await patch({ enabled: false })]).toEqual([409, 200]);
    expect((await call('GET', path)).body).toMatchObject({ headers: {}, signature: 'v1', publicKey: null });
    const remove = () => app.service.get(SubscriptionService).remove(tenant.id, installationId, false);
    expect([await remove(), await remove()]).toEqual([1, 0]);
    const refusal = { code: 'WEBHOOK_TARGET_REFUSED' };
    await expect(provision(installationId, 'https://192.168.0.1/')).rejects.toMatchObject(refusal);
  });

  it('sign with the secret of the app in every tenant, with both after a rotation', async () => {
    const secrets = app.service.get(SecretService);
    const appKey = `app-${randomUUID()}`;
    const tenants = [await app.tenant(), await app.tenant()];
    for (const { id } of tenants) await app.provision(id, { appKey, secret: secretOf(1) });
    const verdicts = async (tenantId: string) => {
      const request = await app.delivered(tenantId);
      return [1, 2].map((byte) => verdict(request, secretOf(byte)));
    };
    for (const { id } of tenants) expect(await verdicts(id)).toEqual(['lead.created', 'no_matching_signature']);
    expect(await secrets.rotateOfApp(appKey, secretOf(2))).toBe(true);
    for (const { id } of tenants) expect(await verdicts(id)).toEqual(['lead.created', 'lead.created']);
    expect(await secrets.rotateOfApp(`unknown-${appKey}`, secretOf(2))).toBe(false);
  });

  it('get the events of objects that the app sees, and do not show the receiver who else sees them', async () => {
    const appKey = `app-${randomUUID()}`;
    const webhooks = [{ events: ['record.created'], url: `${app.receiver.url}/app` }];
    const installationId = randomUUID();
    const [ofApp] = await app.provision(tenant.id, { appKey, webhooks, installationId });
    const sandbox = randomUUID();
    const [ofSandbox] = await app.provision(tenant.id, { appKey, webhooks, installationId: sandbox, sandbox: true });
    await app.subscribe(tenant.admin, { events: ['record.created'] });
    const names = new Map([ofApp, ofSandbox].map((one, index) => [one?.id, index === 0 ? 'app' : 'sandbox']));
    const deliveredTo = async (appkeys?: string, installationid?: string) => {
      const to = { ...(appkeys && { appkeys }), ...(installationid && { installationid }) };
      const event = { ...envelope(tenant.id, 'record.created', { id: randomUUID() }), ...to };
      await app.handle(event);
      const sql = `SELECT subscription_id AS subscription, body
                     FROM delivery JOIN event_body USING (tenant_id) WHERE event_body.id = event_id AND event_id = $1`;
      const rows = await app.rows<{ subscription: string; body: string }>(tenant.id, sql, [event.id]);
      for (const { body } of rows) expect(body).not.toContain('app');
      return rows.map(({ subscription }) => names.get(subscription) ?? 'tenant').sort();
    };
    expect(await deliveredTo()).toEqual(['tenant']);
    expect(await deliveredTo(`${appKey}-2 another`)).toEqual(['tenant']);
    expect(await deliveredTo(appKey, installationId)).toEqual(['app', 'tenant']);
    expect(await deliveredTo(appKey, sandbox)).toEqual(['sandbox', 'tenant']);
    // The object is shared with the app.
    expect(await deliveredTo(`another ${appKey}`, randomUUID())).toEqual(['app', 'tenant']);
  });
});

type List = ListJson<{ id: string }>;
const list = (query = '', token = tenant.admin) => call<List>('GET', `subscriptions?${query}`, undefined, token);

describe('the number of subscriptions of a tenant', () => {
  const provision = (count: number, installationId: string = randomUUID()) => {
    const webhook = (_: unknown, index: number) => {
      return { events: ['lead.created'], url: `https://hooks.acme.example.com/${index}` };
    };
    return app.provision(tenant.id, { installationId, webhooks: Array.from({ length: count }, webhook) });
  };

  it('stays within the limit, also when several are created at once, and falls when one is deleted', async () => {
    await provision(LIMIT - 2);
    const answers = await Promise.all(Array.from({ length: 6 }, () => app.subscribe(tenant.admin)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409, 409]);
    const refusal = { code: 'SUBSCRIPTION_LIMIT_EXCEEDED', limit: LIMIT, present: LIMIT, requested: 1 };
    expect(answers.find(({ status }) => status === 409)).toMatchObject(refusal);
    expect((await list('size=1')).body.total).toBe(LIMIT);
    expect((await app.subscribe((await app.tenant()).admin)).status).toBe(201);
    await call('DELETE', `subscriptions/${answers.find(({ status }) => status === 201)?.id}`);
    expect((await app.subscribe(tenant.admin)).status).toBe(201);
  });

  it('counts the subscriptions of apps, which are created all or none', async () => {
    const installationId = randomUUID();
    const subscriptions = await provision(LIMIT - 2, installationId);
    await expect(provision(3)).rejects.toMatchObject({ code: 'SUBSCRIPTION_LIMIT_EXCEEDED' });
    expect((await list('size=1')).body.total).toBe(LIMIT - 2);
    // Provisioning again what already exists needs no capacity.
    expect(await provision(LIMIT - 2, installationId)).toEqual(subscriptions);
    const races = await Promise.allSettled([provision(2), provision(2)]);
    expect(races.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});

describe('the list of subscriptions', () => {
  it('continues by page and by its own cursor, in the order of creation', async () => {
    const made: string[] = [];
    for (let count = 0; count < 5; count += 1) made.push((await app.subscribe(tenant.admin)).id);
    const first = (await list('size=2')).body;
    expect(first).toMatchObject({ page: 1, size: 2, total: 5, totalIsExact: true, hasMore: true });
    const second = (await list(`size=2&cursor=${first.nextCursor}`)).body;
    const third = (await list('size=2&page=3')).body;
    expect([...first.data, ...second.data, ...third.data].map(({ id }) => id)).toEqual(made);
    expect(third).toMatchObject({ hasMore: false, nextCursor: null });
    expect((await list()).body).toMatchObject({ size: 25, hasMore: false, data: made.map((id) => ({ id })) });
    const ofOther = await list(`cursor=${first.nextCursor}`, (await app.tenant()).admin);
    const ofDeliveries = await call<List>('GET', `deliveries?cursor=${first.nextCursor}`);
    expect([ofOther.body.code, ofDeliveries.body.code]).toEqual(['INVALID_QUERY', 'INVALID_QUERY']);
  });
});

describe('a subscription with a rate', () => {
  it('gets everything, no faster than that, from all processes together; one without gets it once too', async () => {
    /** Attempts a second. */
    const RATE = 20;
    const EVENTS = 30;
    await app.subscribe(tenant.admin, { rateLimit: RATE, url: `${app.receiver.url}/rated` });
    await app.subscribe(tenant.admin, { url: `${app.receiver.url}/unrated` });
    const processes = [app.service, await app.startSibling()];
    const events = Array.from({ length: EVENTS }, (_, id) => envelope(tenant.id, 'lead.created', { id: `${id}` }));
    const begun = Date.now();
    await Promise.all(events.map((event, index) => app.handle(event, { isRepeated: false }, processes[index % 2])));
    await app.counted(tenant.admin, 'delivered', 2 * EVENTS);
    const paths = events.map(({ id }) => app.received(id).map(({ path }) => path));
    expect(paths.map((two) => two.sort())).toEqual(Array(EVENTS).fill(['/rated', '/unrated']));
    // The first is sent at once. No attempt comes before its turn, however slow the machine is.
    expect(Date.now() - begun).toBeGreaterThanOrEqual(((EVENTS - 1) * 1_000) / RATE);
  });
});

it('tells an app of itself, and not which others the workspace installs', async () => {
  const webhooks = [{ events: ['app.*', 'webhook.*'], url: `${app.receiver.url}/app` }];
  await app.provision(tenant.id, { appKey: 'acme-visits', webhooks });
  const installed = (appKey: string) => ({
    ...envelope(tenant.id, 'app.installed', {}),
    data: { installationId: randomUUID(), appKey, version: '1.0.0', sandbox: false },
  });
  const [other, own] = [installed('other-app'), installed('acme-visits')];
  for (const event of [other, own]) await app.handle(event, { isRepeated: false });
  expect(await app.settled(tenant.admin, 'delivered')).toMatchObject([{ eventId: own.id }]);
});

describe('an app that is uninstalled', () => {
  let appKey: string;
  let installationId: string;
  beforeEach(() => {
    appKey = `app-${randomUUID()}`;
    installationId = randomUUID();
  });

  /** One subscription for each list of events, at the path of its place. */
  const install = (...events: string[][]) => {
    const webhooks = events.map((names, index) => ({ events: names, url: `${app.receiver.url}/${index}` }));
    return app.provision(tenant.id, { installationId, appKey, secret: secretOf(1), webhooks });
  };
  const remove = (discard = false) => app.service.get(SubscriptionService).remove(tenant.id, installationId, discard);
  const uninstall = async (...events: string[][]) => {
    const subscriptions = await install(...events);
    await remove();
    return subscriptions;
  };
  const uninstalled = (of = installationId, key = appKey): EventEnvelope => ({
    ...envelope(tenant.id, 'app.uninstalled', {}),
    data: { installationId: of, appKey: key, version: '1.0.0', sandbox: false },
  });
  const lead = () => envelope(tenant.id, 'lead.created', { id: randomUUID() });
  const handle = (event: EventEnvelope, by?: TestService) => app.handle(event, { isRepeated: false }, by);
  const paths = ({ id }: EventEnvelope) => app.received(id).map(({ path }) => path);
  const kept = () => {
    const sql = 'SELECT id, events FROM webhook_subscription WHERE removed_at IS NOT NULL ORDER BY removed_at, id';
    return app.rows<{ id: string; events: string[] }>(tenant.id, sql);
  };
  const sweep = () => app.service.get(RemovedSubscriptionSweeper).sweep();

  it('is told so where it wants to know, signed with its secret and tried again', async () => {
    await install(['app.uninstalled'], ['lead.created'], ['app.*', 'lead.created']);
    expect(await remove()).toBe(3);
    await app.service.get(SecretService).rotateOfApp(appKey, secretOf(2));
    app.answer(503, 503, 204);
    const event = uninstalled();
    await handle(event);
    expect((await app.settled(tenant.admin, 'delivered')).reduce((sum, { attempts }) => sum + attempts, 0)).toBe(4);
    expect(new Set(paths(event))).toEqual(new Set(['/0', '/2']));
    const request = app.received(event.id).at(-1) as ReceivedRequest;
    const sent = { type: 'app.uninstalled', data: event.data };
    for (const secret of [secretOf(1), secretOf(2)])
      expect(verifyWebhook(request.body, request.headers, secret)).toMatchObject(sent);
  });

  it('gets nothing else of the workspace, also when it is about another installation', async () => {
    await uninstall(['app.*', 'lead.*']);
    const others = [
      lead(),
      uninstalled(randomUUID()),
      { ...uninstalled(), type: 'app.installed' },
      { ...uninstalled(), tenantid: (await app.tenant()).id },
    ];
    for (const event of others) await handle(event);
    expect(await app.deliveries(tenant.admin)).toEqual([]);
    const event = uninstalled();
    await handle(event);
    expect(await app.settled(tenant.admin, 'delivered')).toMatchObject([{ eventId: event.id }]);
  });

  it('gets no retry of what came before', async () => {
    await install(['lead.created', 'app.*']);
    app.answer(503);
    const before = [lead(), uninstalled(randomUUID())];
    for (const event of before) await handle(event);
    const failed = await app.settled(tenant.admin, 'failed');
    await remove();
    const sent = before.map((event) => paths(event).length);
    for (const { id } of failed) expect((await call('POST', `deliveries/${id}/redeliver`)).status).toBe(202);
    const ended = await app.settled(tenant.admin, 'failed');
    expect(ended.map(({ lastError }) => lastError?.code)).toEqual(['subscription_inactive', 'subscription_inactive']);
    expect(before.map((event) => paths(event).length)).toEqual(sent);
  });

  it('is told by every process, also by one that knew it as installed or starts later', async () => {
    await install(['app.uninstalled', 'lead.created']);
    const knows = await app.startSibling();
    const [before, after] = [lead(), lead()];
    await handle(before, knows);
    await remove();
    // It has the notices that were sent until now.
    await knows.get(NatsConnection).flush();
    await handle(after, knows);
    const starts = await app.startSibling();
    await handle(after, starts);
    expect([paths(before), paths(after)]).toEqual([['/0'], []]);
    const event = uninstalled();
    await Promise.all([handle(event, knows), handle(event, starts)]);
    expect(new Set(paths(event))).toEqual(new Set(['/0']));
    const delivered = [event, before].map(({ id }) => ({ eventId: id, status: 'delivered' }));
    expect(await app.deliveries(tenant.admin)).toMatchObject(delivered);
  });

  it('is told nothing when the installation had failed, or the administrator had disabled the subscription', async () => {
    await install(['app.*']);
    await remove(true);
    await handle(uninstalled());
    installationId = randomUUID();
    const [disabled] = await install(['app.*']);
    await call('PATCH', `subscriptions/${disabled?.id}`, { enabled: false });
    await remove();
    await handle(uninstalled());
    expect([await kept(), await app.deliveries(tenant.admin)]).toEqual([[], []]);
  });

  it('has no subscriptions that anybody sees or counts', async () => {
    for (let count = 0; count < 2; count += 1) {
      installationId = randomUUID();
      const [created] = await uninstall(...Array(LIMIT).fill(['app.*']));
      expect((await call('GET', `subscriptions/${created?.id}`)).status).toBe(404);
    }
    expect((await call('GET', 'subscriptions')).body).toMatchObject({ total: 0 });
  });

  it('keeps subscriptions that ask for the one event, which sweeping all tenants reaches and no other', async () => {
    await uninstall(['app.*', 'lead.created']);
    expect(await kept()).toEqual([{ id: expect.any(String), events: ['app.uninstalled'] }]);
    const present = await app.subscribe(tenant.admin);
    await app.service.get(Database).crossTenant((tx) => tx.query('DELETE FROM webhook_subscription'));
    expect(await app.rows(tenant.id, 'SELECT id FROM webhook_subscription')).toEqual([{ id: present.id }]);
  });

  it('is kept in mind no longer than needed', async () => {
    await uninstall(['app.uninstalled'], ['app.uninstalled']);
    await sweep();
    expect(await kept()).toHaveLength(2);
    // One accepts it; the other answers 410, which ends its delivery. Nothing is left to disable.
    app.receiver.respondWith(({ path }) => ({ status: path === '/0' ? 204 : 410 }));
    // About another installation of the same app.
    await handle(uninstalled(randomUUID()));
    await sweep();
    expect(await kept()).toHaveLength(2);
    await handle(uninstalled());
    await sweep();
    expect(await kept()).toEqual([]);
    expect((await app.deliveries(tenant.admin)).map(({ status }) => status).sort()).toEqual(['delivered', 'failed']);
  });

  it('is kept in mind while an attempt is to come', async () => {
    await uninstall(['app.uninstalled']);
    const answer = app.holdAnswers();
    // Recorded as under way after a second.
    await handle(uninstalled());
    expect(await app.deliveries(tenant.admin)).toMatchObject([{ status: 'pending' }]);
    await sweep();
    expect(await kept()).toHaveLength(1);
    answer();
    await app.settled(tenant.admin, 'delivered');
    await sweep();
    expect(await kept()).toEqual([]);
  });

  it('is forgotten when the event has not come for 30 days, and when too many others were removed since', async () => {
    const first = await uninstall(['app.uninstalled']);
    for (let count = 0; count < LIMIT; count += 1) {
      installationId = randomUUID();
      await uninstall(['app.uninstalled']);
    }
    const left = await kept();
    expect(left).toHaveLength(LIMIT);
    expect(left.map(({ id }) => id)).not.toContain(first[0]?.id);
    const sql = `UPDATE webhook_subscription SET removed_at = now() - interval '31 days' WHERE id = $1`;
    await app.asAdministrator(sql, [left[0]?.id]);
    await sweep();
    expect(await kept()).toEqual(left.slice(1));
  });
});

import { randomBytes, randomUUID } from 'node:crypto';
import { type EventName, isEventName, isEventPattern, PlatformError, rpc } from '@crm/contracts';
import { Database, newId } from '@crm/database';
import { verifyWebhook } from '@crm/sdk';
import { answerRpc, type TestService, waitUntil } from '@crm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LedgerWriterRepository } from '../src/ledger/ledger-writer.repository.js';
import { ListeningLimit } from '../src/sandbox/concurrency-limit.js';
import type { ListenedDeliveriesView, TriggeredEventView } from '../src/sandbox/sandbox.dto.js';
import { EVENT_TYPES } from '../src/subscriptions/event-type.js';
import { SubscriptionService } from '../src/subscriptions/subscription.service.js';
import { APP_SECRET, eventEntry, gate, newDelivery, type Tenant, useWebhooks } from './webhook-service.js';

const { app, tenant, call } = useWebhooks();

/** A developer, whose workspace publishes an app. */
interface Developer extends Tenant {
  readonly appKey: string;
  /** What the deliveries of the app are signed with. */
  readonly secret: string;
}

/** What the marketplace knows: publishers of apps, and their sandboxes. */
const publishers = new Map<string, string>();
const sandboxes = new Map<string, string[]>();
const developer = {} as Developer;
let marketplace: { close(): Promise<void> };
beforeAll(async () => {
  marketplace = await answerRpc(rpc.marketplace.listSandboxes, ({ appKey }, { principal }) => {
    if (publishers.get(appKey) !== principal?.tenantId) throw new PlatformError('NOT_FOUND');
    return { installationIds: sandboxes.get(appKey) ?? [] };
  });
});
afterAll(() => marketplace?.close());
beforeEach(async () => {
  Object.assign(developer, await newDeveloper());
});

async function newDeveloper(): Promise<Developer> {
  const appKey = `acme-${randomUUID().slice(0, 8)}`;
  const workspace = await app.tenant();
  publishers.set(appKey, workspace.id);
  return { ...workspace, appKey, secret: `whsec_${randomBytes(32).toString('base64')}` };
}

/** Installs the app in a workspace, not as a sandbox of its publisher. @returns the id of its subscription */
async function install(tenantId: string, of: Developer, installationId = newId(), events = ['lead.created']) {
  const { appKey, secret } = of;
  const webhooks = [{ events, url: `${app.receiver.url}/sandbox` }];
  const [subscription] = await app.provision(tenantId, { installationId, appKey, secret, webhooks });
  return (subscription as { id: string }).id;
}

/** Installs the app in the publisher's workspace as a sandbox. @returns the id of its subscription */
async function sandbox(of: Developer = developer, events?: string[]): Promise<string> {
  const installationId = newId();
  const id = await install(of.id, of, installationId, events);
  sandboxes.set(of.appKey, [installationId, ...(sandboxes.get(of.appKey) ?? [])]);
  return id;
}

/** A sandbox of the app, and whatever else gets events of its workspace, or of the app elsewhere. */
async function sandboxAmongOthers() {
  const id = await sandbox();
  const other = await newDeveloper();
  await sandbox({ ...other, id: developer.id });
  await install(developer.id, developer);
  await app.subscribe(developer.admin);
  const stranger = await app.tenant();
  await install(stranger.id, developer);
  return { id, other, stranger };
}

const listen = (
  query: Record<string, string | readonly string[]> = {},
  { token = developer.admin, appKey = developer.appKey, service = app.service as TestService } = {},
) => {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) for (const one of [value].flat()) parameters.append(name, one);
  const path = `/api/marketplace/developer/apps/${appKey}/listen?${parameters}`;
  return service.request<ListenedDeliveriesView & { code: string; detail: string }>('GET', path, { token });
};

describe('listening to the sandboxes of an app', () => {
  const emit = async (name?: EventName) => (await app.emit(developer.id, name)).id;
  const eventsOf = (data: ListenedDeliveriesView['data']) => data.map(({ eventId }) => eventId);
  /** The cursor of a session that begins now. */
  const begin = async (query: Parameters<typeof listen>[0] = {}) => {
    const { status, body } = await listen(query);
    expect([status, body.data]).toEqual([200, []]);
    return body.cursor;
  };
  /** Listens until there is a number of deliveries. */
  const heard = async (cursor: string, count: number, query: Parameters<typeof listen>[0] = {}) => {
    const data: ListenedDeliveriesView['data'] = [];
    let next = cursor;
    while (data.length < count) {
      const { status, body } = await listen({ ...query, cursor: next });
      expect(status).toBe(200);
      data.push(...body.data);
      next = body.cursor;
    }
    return { data, cursor: next };
  };

  it('shows a copy of what the endpoint gets, signed with the secret of the app', async () => {
    const subscriptionId = await sandbox();
    const cursor = await begin();
    const event = await app.emit(developer.id);
    const { data } = await heard(cursor, 1);
    const [original] = app.received(event.id);
    const [copy] = data;
    const headers = expect.objectContaining({ 'content-type': 'application/json', 'webhook-id': event.id });
    const sentTo = { subscriptionId, url: `${app.receiver.url}/sandbox`, headers, body: original?.body };
    expect(data).toEqual([{ id: expect.any(String), event: 'lead.created', eventId: event.id, ...sentTo }]);
    const ofConnection = new Set(['connection', 'content-length', 'host', 'transfer-encoding', 'accept-encoding']);
    const sent = Object.keys(original?.headers ?? {}).filter((name) => !ofConnection.has(name));
    expect(Object.keys(copy?.headers ?? {}).sort()).toEqual(sent.sort());
    expect(copy?.headers['user-agent']).toBe(original?.headers['user-agent']);
    expect(verifyWebhook(copy?.body as string, copy?.headers ?? {}, developer.secret)).toMatchObject({ id: event.id });
    expect(() => verifyWebhook(`${copy?.body} `, copy?.headers ?? {}, developer.secret)).toThrow();
  });

  it('is answered when the wait is over, and goes on from there as soon as there is something, whatever becomes of it', async () => {
    await sandbox();
    app.answer(500);
    const { status, body } = await listen({ cursor: await begin(), wait: '0' });
    expect([status, body.data]).toEqual([200, []]);
    const waiting = listen({ cursor: body.cursor });
    const event = await emit();
    expect(eventsOf((await waiting).body.data)).toEqual([event]);
  });

  it('shows only what happens after its beginning, and each delivery once', async () => {
    await sandbox();
    await emit();
    // Recorded, and its transaction over.
    await app.settled(developer.admin, 'delivered');
    let cursor = await begin();
    const events: string[] = [];
    const seen: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      events.push(await emit(), await emit());
      const page = await heard(cursor, 1);
      seen.push(...eventsOf(page.data));
      cursor = page.cursor;
    }
    const rest = await heard(cursor, events.length - seen.length);
    expect([...seen, ...eventsOf(rest.data)]).toEqual(events);
    expect((await listen({ cursor: rest.cursor, wait: '0' })).body.data).toEqual([]);
  });

  it('shows no delivery of anyone else', async () => {
    const { id, other, stranger } = await sandboxAmongOthers();
    const cursor = await begin();
    await app.emit(stranger.id);
    const event = await emit();
    const { data, cursor: next } = await heard(cursor, 1);
    expect(data.map((one) => [one.eventId, one.subscriptionId])).toEqual([[event, id]]);
    expect((await listen({ cursor: next, wait: '0' })).body.data).toEqual([]);
    // The app of the other publisher, with the cursor of this one, and this one with another's token.
    expect((await listen({ cursor }, { appKey: other.appKey })).body.code).toBe('NOT_FOUND');
    expect((await listen({ cursor }, { token: stranger.admin })).body.code).toBe('NOT_FOUND');
    expect((await listen({ cursor }, { token: other.admin, appKey: other.appKey })).body.code).toBe('INVALID_QUERY');
  });

  it('shows only the events that are asked for', async () => {
    await sandbox(developer, ['lead.*', 'deal.won']);
    const query = { events: ['deal.*', 'lead.updated'] };
    const cursor = await begin(query);
    await emit('lead.created');
    const wanted = [await emit('lead.updated'), await emit('deal.won')];
    expect(eventsOf((await heard(cursor, 2, query)).data)).toEqual(wanted);
    expect((await listen({ events: 'lead.exploded' })).body.code).toBe('INVALID_QUERY');
    // A session keeps its filter.
    expect((await listen({ cursor, events: ['lead.*'] })).body.code).toBe('INVALID_QUERY');
  });

  it('ends a day after the last call', async () => {
    await sandbox();
    const cursor = await begin();
    const parts = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [string, string, string];
    const at = (ms: number) =>
      Buffer.from(JSON.stringify([parts[0], new Date(ms).toISOString(), parts[2]])).toString('base64url');
    const day = 24 * 3_600_000;
    expect((await listen({ cursor: at(Date.now() - day + 60_000), wait: '0' })).status).toBe(200);
    const { status, body } = await listen({ cursor: at(Date.now() - day - 1) });
    expect([status, body.detail]).toEqual([400, 'cursor: more than a day old. Start again without one']);
    for (const nonsense of ['x', at(Date.now()).slice(3), Buffer.from('[1,2,3]').toString('base64url')])
      expect((await listen({ cursor: nonsense })).body.code).toBe('INVALID_QUERY');
  });

  it('needs a sandbox to begin, not to go on', async () => {
    const detail = expect.stringContaining(`${developer.appKey} has no sandbox in this workspace`);
    expect(await listen()).toMatchObject({ status: 409, body: { code: 'CONFLICT', detail } });
    const id = await sandbox();
    const cursor = await begin();
    // Uninstalled: nothing to show until it is installed again.
    const gone = await app.service.get(SubscriptionService).get({ tenantId: developer.id } as never, id);
    await app.service.get(SubscriptionService).remove(developer.id, gone.installationId as string, true);
    expect((await listen({ cursor, wait: '0' })).body.data).toEqual([]);
    await sandbox();
    const event = await emit();
    expect(eventsOf((await heard(cursor, 1)).data)).toEqual([event]);
  });

  it('waits for what is recorded by a transaction that began earlier and commits later', async () => {
    const subscriptionId = await sandbox();
    const cursor = await begin();
    const early = newId();
    const { opened: committed, open: commit } = gate();
    const { opened: isInserted, open: inserted } = gate();
    const slow = app.service.get(Database).crossTenant(async (tx) => {
      const delivery = newDelivery({ subscriptionId, status: 'delivered', attempts: 1 });
      const entry = eventEntry(developer.id, [delivery], { eventId: early });
      await app.service.get(LedgerWriterRepository).write(tx, [entry]);
      inserted();
      await committed;
    });
    await isInserted;
    const late = await emit();
    const between = await listen({ cursor, wait: '1' });
    expect(between.body.data).toEqual([]);
    commit();
    await slow;
    expect(eventsOf((await heard(between.body.cursor, 2)).data)).toEqual([early, late]);
  });

  it('comes in pages of bounded length, in order, which another process has too', async () => {
    await sandbox(developer, ['lead.*']);
    const cursor = await begin();
    const small: string[] = [];
    for (let batch = 0; batch < 7; batch += 1)
      small.push(...(await Promise.all(Array.from({ length: 15 }, () => emit()))));
    const all = eventsOf((await heard(cursor, small.length)).data);
    expect([...all].sort()).toEqual([...small].sort());
    // Now that all are shown, from the beginning again, as after an interruption.
    const { body: page } = await listen({ cursor }, { service: await app.startSibling() });
    expect(eventsOf(page.data)).toEqual(all.slice(0, 100));
    expect(eventsOf((await listen({ cursor: page.cursor })).body.data)).toEqual(all.slice(100));

    const again = await begin();
    const large: string[] = [];
    for (const version of [1, 2, 3]) {
      const record = { id: randomUUID(), version, lastName: 'x'.repeat(700_000) };
      large.push((await app.emit(developer.id, 'lead.updated', record)).id);
    }
    expect(eventsOf((await heard(again, 3)).data)).toEqual(large);
    // A page ends after the one that makes it too long.
    const { body: first } = await listen({ cursor: again });
    expect(eventsOf(first.data)).toEqual(large.slice(0, 2));
    expect(eventsOf((await listen({ cursor: first.cursor })).body.data)).toEqual(large.slice(2));
  });

  it('is bounded: a workspace has eight calls that wait', async () => {
    await sandbox();
    const cursor = await begin();
    const calls = Array.from({ length: 9 }, () => listen({ cursor }));
    const refused = await Promise.race(calls);
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([429, 'RATE_LIMITED', '5']);
    await emit();
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([...Array(8).fill(200), 429]);
    // The slots are free again.
    expect((await listen({ cursor })).status).toBe(200);
  });

  it('ends when the caller goes away, as a gateway does that is drained', async () => {
    await sandbox();
    const cursor = await begin();
    const { count } = app.service.get(ListeningLimit);
    const leaving = new AbortController();
    const address = `${app.service.url}/api/marketplace/developer/apps/${developer.appKey}/listen?cursor=${cursor}`;
    const headers = { authorization: `Bearer ${developer.admin}` };
    const waiting = fetch(address, { headers, signal: leaving.signal });
    await waitUntil(() => app.service.get(ListeningLimit).count > count, { describe: 'the call waits' });
    leaving.abort();
    await expect(waiting).rejects.toThrow();
    await waitUntil(() => app.service.get(ListeningLimit).count === count, { describe: 'its slot is free' });
  });

  it('is answered before the process ends', async () => {
    await sandbox();
    const sibling = await app.startSibling();
    const cursor = await begin();
    const began = sibling.get(ListeningLimit).count;
    const waiting = listen({ cursor }, { service: sibling });
    await waitUntil(() => sibling.get(ListeningLimit).count > began, { timeoutMs: 5_000, describe: 'the call waits' });
    await sibling.close();
    const { status, body } = await waiting;
    expect([status, body.data]).toEqual([200, []]);
    const event = await emit();
    expect(eventsOf((await heard(body.cursor, 1)).data)).toEqual([event]);
  });
});

describe('a sample event', () => {
  type Triggered = TriggeredEventView & { code: string; detail: string };
  const trigger = (event: unknown, appKey = developer.appKey) => {
    const request = { token: developer.admin, body: { event } };
    return app.service.request<Triggered>('POST', `/api/marketplace/developer/apps/${appKey}/trigger`, request);
  };

  it('is the example of the catalogue, of now and this workspace, signed with the secret of the app', async () => {
    const subscriptionId = await sandbox(developer, ['deal.*']);
    app.answer(202);
    const { status, body } = await trigger('deal.won');
    const outcome = { status: 'delivered', httpStatus: 202, latencyMs: expect.any(Number) };
    const delivery = { id: expect.any(String), subscriptionId, url: `${app.receiver.url}/sandbox`, ...outcome };
    expect(body).toEqual({ eventId: expect.any(String), event: 'deal.won', deliveries: [delivery] });
    expect(status).toBe(200);
    const [request, ...more] = app.received(body.eventId);
    expect(more).toEqual([]);
    const example = EVENT_TYPES.find(({ name }) => name === 'deal.won')?.example;
    const timestamp = expect.not.stringContaining(example?.timestamp as string);
    const sent = { ...example, id: body.eventId, tenantId: developer.id, timestamp };
    expect(verifyWebhook(request?.body as string, request?.headers ?? {}, developer.secret)).toEqual(sent);
  });

  it('reaches the sandboxes of the app alone, and is not published', async () => {
    const { id: subscriptionId, stranger } = await sandboxAmongOthers();
    const { body } = await trigger('lead.created');
    expect(body.deliveries.map((one) => one.subscriptionId)).toEqual([subscriptionId]);
    expect(app.received(body.eventId)).toHaveLength(1);
    const deliveries = await app.deliveries(developer.admin);
    expect(deliveries.map((one) => [one.id, one.eventId])).toEqual([[body.deliveries[0]?.id, body.eventId]]);
    expect(await app.deliveries(stranger.admin)).toEqual([]);
    expect(await app.asAdministrator('SELECT 1 FROM outbox WHERE tenant_id = $1', [developer.id])).toEqual([]);
  });

  it('is attempted once, and shown to a listening session, when the endpoint does not accept it', async () => {
    await sandbox();
    app.answer(503);
    const { cursor } = (await listen()).body;
    const { body } = await trigger('lead.created');
    expect(body.deliveries).toMatchObject([{ status: 'failed', httpStatus: 503, error: { code: 'http_5xx' } }]);
    expect(await app.deliveries(developer.admin)).toMatchObject([{ status: 'failed', attempts: 1 }]);
    expect((await app.deliveries(developer.admin))[0]?.nextAttemptAt).toBeUndefined();
    const shown = (await listen({ cursor })).body.data;
    expect(shown).toMatchObject([{ eventId: body.eventId, body: app.received(body.eventId)[0]?.body }]);
  });

  it('is attempted although the endpoint keeps failing and deliveries to it pause, and shows that it no longer does', async () => {
    await sandbox();
    app.receiver.respondWith(() => ({ status: 429, headers: { 'retry-after': '3600' } }));
    await app.emit(developer.id);
    const event = await app.emit(developer.id);
    expect(app.received(event.id)).toEqual([]);
    app.answer(200);
    expect((await trigger('lead.created')).body.deliveries).toMatchObject([{ status: 'delivered', httpStatus: 200 }]);
    expect(app.received(event.id)).toEqual([]);
  });

  it('is bounded: a workspace has two under way', async () => {
    await sandbox();
    const answer = app.holdAnswers(undefined, 200);
    const calls = [1, 2, 3].map(() => trigger('lead.created'));
    const refused = await Promise.race(calls);
    expect([refused.status, refused.body.code]).toEqual([429, 'RATE_LIMITED']);
    answer();
    expect((await Promise.all(calls)).map(({ status }) => status).sort()).toEqual([200, 200, 429]);
  });

  it('is answered with the outcome of an attempt that moves to the slow lane', async () => {
    await sandbox();
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
    await sandbox();
    // What was allowed when the subscription was made is refused when it is sent.
    const sql = "UPDATE webhook_subscription SET url = 'https://10.0.0.1/hook' WHERE app_key = $1";
    await app.asAdministrator(sql, [developer.appKey]);
    const { body } = await trigger('lead.created');
    expect(body.deliveries).toMatchObject([{ status: 'blocked', error: { code: 'blocked' } }]);
    expect(app.received(body.eventId)).toEqual([]);
  });

  it('needs a sandbox with an enabled webhook that names the event', async () => {
    expect((await trigger('lead.created')).body).toMatchObject({ code: 'CONFLICT' });
    const id = await sandbox();
    const detail = `No sandbox webhook of ${developer.appKey} in this workspace subscribes to deal.won`;
    expect((await trigger('deal.won')).body).toMatchObject({ code: 'CONFLICT', detail });
    await call('PATCH', `subscriptions/${id}`, { enabled: false }, developer.admin);
    expect((await trigger('lead.created')).body.detail).toContain('are disabled');
    expect((await trigger('lead.exploded')).body.code).toBe('VALIDATION_FAILED');
    expect((await trigger('lead.created', 'x'.repeat(300))).body.code).toBe('NOT_FOUND');
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
    const attempt = { at: expect.any(String), latencyMs: expect.any(Number), responseExcerpt: 'thanks' };
    const accepted = { eventId: expect.any(String), accepted: true, httpStatus: 200, ...attempt };
    expect([status, body]).toEqual([200, accepted]);
    // No event that anybody subscribes to.
    expect([isEventName('webhook.test'), isEventPattern('webhook.test')]).toEqual([false, false]);
    const request = await app.arrival(body.eventId);
    expect(request.headers['x-api-key']).toBe('k-7f3a');
    const data = { subscription: { id, url: `${app.receiver.url}/hook`, events: ['lead.created'] } };
    const event = { id: body.eventId, type: 'webhook.test', tenantId: tenant.id, data };
    expect(verifyWebhook(request.body, request.headers, secret)).toMatchObject(event);
  });

  it('says why it failed, leaves the subscription alone, and is in no ledger', async () => {
    app.receiver.respondWith(() => ({ status: 410, body: 'gone' }));
    const { id } = await app.subscribe(tenant.admin);
    const error = { errorCode: 'http_4xx', errorMessage: 'The endpoint returned 410', responseExcerpt: 'gone' };
    expect((await test(id)).body).toMatchObject({ accepted: false, httpStatus: 410, ...error });
    expect((await call('GET', `subscriptions/${id}`)).body).toMatchObject({ status: 'active' });
    expect(await app.deliveries(tenant.admin)).toEqual([]);
  });

  it('says where it failed when there is no answer, because the address is not public', async () => {
    const { id } = await app.subscribe(tenant.admin);
    await app.asAdministrator('UPDATE webhook_subscription SET url = $2 WHERE id = $1', [id, 'https://127.0.0.2/']);
    const sibling = await app.startSibling();
    expect((await test(id, sibling)).body).toMatchObject({ accepted: false, errorCode: 'blocked', phase: 'policy' });
  });

  it('can be sent to the subscription of an app, signed with its secret, also while it is paused', async () => {
    const [subscription] = await app.provision(tenant.id, { appKey: `app-${randomUUID()}` });
    await call('POST', `subscriptions/${subscription?.id}/pause`);
    const { body } = await test(subscription?.id as string);
    const request = await app.arrival(body.eventId);
    expect(verifyWebhook(request.body, request.headers, APP_SECRET)).toMatchObject({ type: 'webhook.test' });
  });

  it('is sent one at a time', async () => {
    const answer = app.holdAnswers();
    const { id } = await app.subscribe(tenant.admin, { url: `${app.receiver.url}/${randomUUID()}` });
    const first = test(id);
    await app.receiver.waitFor(({ body }) => body.includes(id));
    expect(await test(id)).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    answer();
    expect((await first).body).toMatchObject({ accepted: true });
    expect((await test(id)).status).toBe(200);
  });
});

import { randomUUID } from 'node:crypto';
import type { EventName } from '@crm/contracts';
import { Database, newId } from '@crm/database';
import { verifyWebhook } from '@crm/sdk';
import { type TestService, waitUntil } from '@crm/testing';
import { describe, expect, it } from '@jest/globals';
import { LedgerWriterRepository } from '../src/ledger/ledger-writer.repository.js';
import { ListeningLimit } from '../src/sandbox/concurrency-limit.js';
import type { ListenedDeliveriesView } from '../src/sandbox/sandbox.dto.js';
import { SubscriptionService } from '../src/subscriptions/subscription.service.js';
import { useMarketplace } from './sandboxes.js';
import { eventEntry, gate, newDelivery, useWebhooks } from './webhook-service.js';

type Answer = ListenedDeliveriesView & { code: string; detail: string };

describe('listening to the sandboxes of an app', () => {
  const { app } = useWebhooks();
  const { marketplace, developer } = useMarketplace(app);
  const emit = async (name?: EventName) => (await app.emit(developer.id, name)).id;
  const eventsOf = (data: ListenedDeliveriesView['data']) => data.map(({ eventId }) => eventId);

  const listen = (
    query: Record<string, string | readonly string[]> = {},
    { token = developer.admin, appKey = developer.appKey, service = app.service as TestService } = {},
  ) => {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      for (const one of [value].flat()) parameters.append(name, one);
    }
    const path = `/api/marketplace/developer/apps/${appKey}/listen?${parameters}`;
    return service.request<Answer>('GET', path, { token });
  };
  /** The cursor of a session that begins now. */
  const begin = async (query: Record<string, string | readonly string[]> = {}) => {
    const { status, body } = await listen(query);
    expect([status, body.data]).toEqual([200, []]);
    return body.cursor;
  };
  /** Listens until there is a number of deliveries. */
  const heard = async (cursor: string, count: number) => {
    const data: ListenedDeliveriesView['data'] = [];
    let next = cursor;
    while (data.length < count) {
      const { status, body } = await listen({ cursor: next });
      expect(status).toBe(200);
      data.push(...body.data);
      next = body.cursor;
    }
    return { data, cursor: next };
  };

  it('shows a copy of what the endpoint gets, signed with the secret of the app', async () => {
    const subscriptionId = await marketplace.sandbox(developer);
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

  it('is answered when there is something while the call waits, whatever becomes of it', async () => {
    await marketplace.sandbox(developer);
    app.receiver.respondWith(() => ({ status: 500 }));
    const cursor = await begin();
    const waiting = listen({ cursor });
    const event = await emit();
    expect(eventsOf((await waiting).body.data)).toEqual([event]);
  });

  it('is answered without deliveries when the wait is over, and goes on from there', async () => {
    await marketplace.sandbox(developer);
    const first = await begin();
    const { status, body } = await listen({ cursor: first, wait: '0' });
    expect([status, body.data]).toEqual([200, []]);
    const event = await emit();
    expect(eventsOf((await heard(body.cursor, 1)).data)).toEqual([event]);
  });

  it('shows only what happens after its beginning, and each delivery once', async () => {
    await marketplace.sandbox(developer);
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
    if (seen.length < events.length) {
      const rest = await heard(cursor, events.length - seen.length);
      seen.push(...eventsOf(rest.data));
      cursor = rest.cursor;
    }
    expect(seen).toEqual(events);
    expect((await listen({ cursor, wait: '0' })).body.data).toEqual([]);
  });

  it('shows no delivery of anyone else', async () => {
    const id = await marketplace.sandbox(developer);
    const other = await marketplace.developer();
    await marketplace.sandbox({ ...other, id: developer.id });
    await marketplace.install(developer.id, developer);
    await app.subscribe(developer.admin);
    const stranger = await app.tenant();
    await marketplace.install(stranger.id, developer);
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
    expect((await listen({ cursor }, { token: developer.member })).body.code).toBe('FORBIDDEN');
  });

  it('shows only the events that are asked for', async () => {
    await marketplace.sandbox(developer, { events: ['lead.*', 'deal.won'] });
    const query = { events: ['deal.*', 'lead.updated'] };
    const cursor = await begin(query);
    await emit('lead.created');
    const wanted = [await emit('lead.updated'), await emit('deal.won')];
    const seen: string[] = [];
    for (let next = cursor; seen.length < 2; ) {
      const { body } = await listen({ ...query, cursor: next });
      seen.push(...eventsOf(body.data));
      next = body.cursor;
    }
    expect(seen).toEqual(wanted);
    expect((await listen({ events: 'lead.exploded' })).body.code).toBe('INVALID_QUERY');
    // A session keeps its filter.
    expect((await listen({ cursor, events: ['lead.*'] })).body.code).toBe('INVALID_QUERY');
  });

  it('goes on with the same cursor after an interruption, in another process too', async () => {
    await marketplace.sandbox(developer);
    const cursor = await begin();
    const events = [await emit(), await emit()];
    const { data } = await heard(cursor, 2);
    expect(eventsOf(data)).toEqual(events);
    const sibling = await app.startSibling();
    const again = await listen({ cursor }, { service: sibling });
    expect(eventsOf(again.body.data)).toEqual(events);
  });

  it('ends a day after the last call', async () => {
    await marketplace.sandbox(developer);
    const cursor = await begin();
    const parts = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [string, string, string];
    const at = (ms: number) =>
      Buffer.from(JSON.stringify([parts[0], new Date(ms).toISOString(), parts[2]])).toString('base64url');
    const day = 24 * 3_600_000;
    expect((await listen({ cursor: at(Date.now() - day + 60_000), wait: '0' })).status).toBe(200);
    const { status, body } = await listen({ cursor: at(Date.now() - day - 1) });
    expect([status, body.detail]).toEqual([400, 'cursor: is more than a day old; begin without one']);
    for (const nonsense of ['x', at(Date.now()).slice(3), Buffer.from('[1,2,3]').toString('base64url')]) {
      expect((await listen({ cursor: nonsense })).body.code).toBe('INVALID_QUERY');
    }
  });

  it('needs a sandbox to begin, not to go on', async () => {
    const { status, body } = await listen();
    expect([status, body.code]).toEqual([409, 'CONFLICT']);
    expect(body.detail).toContain(`${developer.appKey} has no sandbox in this workspace`);
    const id = await marketplace.sandbox(developer);
    const cursor = await begin();
    // Uninstalled: nothing to show until it is installed again.
    const gone = await app.service.get(SubscriptionService).get({ tenantId: developer.id } as never, id);
    await app.service.get(SubscriptionService).remove(developer.id, gone.installationId as string, true);
    expect((await listen({ cursor, wait: '0' })).body.data).toEqual([]);
    await marketplace.sandbox(developer);
    const event = await emit();
    expect(eventsOf((await heard(cursor, 1)).data)).toEqual([event]);
  });

  it('waits for what is recorded by a transaction that began earlier and commits later', async () => {
    const subscriptionId = await marketplace.sandbox(developer);
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
    const { data } = await heard(between.body.cursor, 2);
    expect(eventsOf(data)).toEqual([early, late]);
  });

  it('comes in pages of bounded length, in order', async () => {
    await marketplace.sandbox(developer, { events: ['lead.*'] });
    const cursor = await begin();
    const small: string[] = [];
    for (let batch = 0; batch < 7; batch += 1) {
      small.push(...(await Promise.all(Array.from({ length: 15 }, () => emit()))));
    }
    const { data } = await heard(cursor, small.length);
    expect(eventsOf(data).sort()).toEqual([...small].sort());
    // Now that all are shown, from the beginning again.
    const page = await listen({ cursor });
    expect(page.body.data.map(({ id }) => id)).toEqual(data.slice(0, 100).map(({ id }) => id));
    const next = await listen({ cursor: page.body.cursor });
    expect(next.body.data.map(({ id }) => id)).toEqual(data.slice(100).map(({ id }) => id));

    const again = await begin();
    const large: string[] = [];
    for (const version of [1, 2, 3]) {
      const record = { id: randomUUID(), version, lastName: 'x'.repeat(700_000) };
      large.push((await app.emit(developer.id, 'lead.updated', record)).id);
    }
    expect(eventsOf((await heard(again, 3)).data)).toEqual(large);
    // A page ends after the one that makes it too long.
    const first = await listen({ cursor: again });
    expect(eventsOf(first.body.data)).toEqual(large.slice(0, 2));
    const rest = await listen({ cursor: first.body.cursor });
    expect(eventsOf(rest.body.data)).toEqual(large.slice(2));
  });

  it('is bounded: a workspace has eight calls that wait', async () => {
    await marketplace.sandbox(developer);
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

  it('is answered before the process ends', async () => {
    await marketplace.sandbox(developer);
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

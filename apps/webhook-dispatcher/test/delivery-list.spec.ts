import { randomUUID } from 'node:crypto';
import { lowestIdOf, millisecondsOfId } from '@crm/database';
import type { ReceiverReaction } from '@crm/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type DeliveryJson, envelope, type ListJson, useWebhooks } from './webhook-service.js';

type List = ListJson<DeliveryJson>;

const { app, tenant } = useWebhooks();
beforeEach(() => {
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
      list(`subscriptionId=${id}&event=lead.created&cursor=${nextCursor}`),
      list(`subscriptionId=${id}&to=2100-01-01T00:00:00Z&cursor=${nextCursor}`),
      list('cursor=abc'),
    ]);
    for (const { status, body } of refused) expect([status, body.code]).toEqual([400, 'INVALID_QUERY']);
  });

  it('is filtered by status, subscription, event, error code and the time of the event', async () => {
    app.receiver.respondWith(({ path }) => ({ status: path === '/gone' ? 410 : 204 }));
    const events = ['lead.created', 'lead.updated'];
    const fine = await app.subscribe(tenant.admin, { events });
    const gone = await app.subscribe(tenant.admin, { events: ['lead.updated'], url: `${app.receiver.url}/gone` });
    const created = await app.emit(tenant.id, 'lead.created');
    const updated = await app.emit(tenant.id, 'lead.updated');
    const at = (event: { id: string }, moreMs = 0) => new Date(millisecondsOfId(event.id) + moreMs).toISOString();
    const found = async (query: string) => {
      const { body } = await list(query);
      expect(body.total).toBe(body.data.length);
      return body.data.map(({ eventId, subscriptionId }) => [eventId, subscriptionId]).sort();
    };
    const [first, second, third] = [
      [created.id, fine.id],
      [updated.id, fine.id],
      [updated.id, gone.id],
    ];
    const all = [first, second, third].sort();
    expect(await found('')).toEqual(all);
    expect(await found('status=held')).toEqual([third]);
    expect(await found('status=failed')).toEqual([]);
    expect(await found(`subscriptionId=${gone.id}`)).toEqual([third]);
    expect(await found('event=lead.created')).toEqual([first]);
    expect(await found('event=lead.updated')).toEqual([second, third].sort());
    expect(await found('event=lead.deleted')).toEqual([]);
    expect(await found('errorCode=http_4xx')).toEqual([third]);
    expect(await found('errorCode=tls')).toEqual([]);
    expect(await found(`event=lead.updated&status=delivered&subscriptionId=${fine.id}`)).toEqual([second]);
    expect(await found(`from=${at(created)}&to=${at(updated, 1)}`)).toEqual(all);
    expect(await found(`from=${at(updated, 1)}`)).toEqual([]);
    expect(await found(`to=${at(created)}`)).toEqual([]);
    expect(await found(`from=${at(created)}&to=${at(created)}`)).toEqual([]);
    expect(await found('from=1900-01-01T00:00:00%2B02:00&to=9999-12-31T23:59:59-23:59')).toEqual(all);
  });

  it('has the times of events as its limits: from that millisecond on, and before that one', async () => {
    await app.subscribe(tenant.admin);
    const ms = Date.now() - 60_000;
    for (const time of [ms - 1, ms, ms + 1]) {
      const id = lowestIdOf(time).slice(0, 14) + randomUUID().slice(14);
      await app.handle({ ...envelope(tenant.id, 'lead.created', { id: randomUUID(), version: 1 }), id });
    }
    await app.settled(tenant.admin, 'delivered');
    const { data } = (await list(`from=${new Date(ms).toISOString()}&to=${new Date(ms + 1).toISOString()}`)).body;
    expect(data.map(({ eventId }) => millisecondsOfId(eventId))).toEqual([ms]);
  });

  it.each([
    ['from=yesterday', 'from: Must be a date and time with an offset (RFC 3339)'],
    ['to=2026-11-22', 'to: Must be a date and time with an offset (RFC 3339)'],
    ['from=2026-11-22T10:00:01Z&to=2026-11-22T10:00:00Z', 'from: is later than to'],
    ['event=lead.exploded', 'event: '],
    ['errorCode=', 'errorCode: '],
  ])('refuses %s', async (query, detail) => {
    const { status, body } = await list(query);
    expect([status, body.code]).toEqual([400, 'INVALID_QUERY']);
    expect(body.detail).toContain(detail);
  });
});

describe('the attempts of a delivery', () => {
  it('show where they failed without an answer, and the beginning of an answer', async () => {
    const answers = [{ status: 500, body: 'x'.repeat(5_000) }];
    app.receiver.respondWith(() => answers.shift() ?? { status: 200, headers: { 'x-long': 'x'.repeat(20_000) } });
    await app.subscribe(tenant.admin);
    await app.emit(tenant.id);
    const [failed] = await app.settled(tenant.admin, 'failed');
    const { body } = await app.service.request<{ attemptLog: Record<string, unknown>[] }>(
      'GET',
      `/api/webhooks/deliveries/${failed?.id}`,
      { token: tenant.admin },
    );
    const [answered, ...unanswered] = body.attemptLog;
    expect(answered).toMatchObject({ httpStatus: 500, errorCode: 'http_5xx', responseExcerpt: 'x'.repeat(4_096) });
    expect(answered).not.toHaveProperty('phase');
    expect(unanswered).toEqual(
      Array(2).fill({
        at: expect.any(String),
        errorCode: 'too_large',
        phase: 'headers',
        latencyMs: expect.any(Number),
      }),
    );
  });

  it('keep the phase of codes that happen in several', async () => {
    const reactions: ReceiverReaction[] = ['reset', 'reset', { status: 204 }];
    app.receiver.respondWith(() => reactions.shift() as ReceiverReaction);
    await app.subscribe(tenant.admin);
    await app.emit(tenant.id);
    const [delivered] = await app.settled(tenant.admin, 'delivered');
    const { body } = await app.service.request<{ attemptLog: Record<string, unknown>[] }>(
      'GET',
      `/api/webhooks/deliveries/${delivered?.id}`,
      { token: tenant.admin },
    );
    expect(body.attemptLog).toMatchObject([
      { errorCode: 'reset', phase: 'headers' },
      { errorCode: 'reset', phase: 'headers' },
      { httpStatus: 204 },
    ]);
    expect(body.attemptLog.at(-1)).not.toHaveProperty('phase');
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

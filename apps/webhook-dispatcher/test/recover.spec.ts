import { randomUUID } from 'node:crypto';
import { Database, idOf, millisecondsOfId } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { describe, expect, it } from '@jest/globals';
import { DUE_AT_A_TIME, RecoveryWorker } from '../src/ledger/recovery.worker.js';
import { gate, useWebhooks } from './webhook-service.js';

describe('recovering what a subscription holds', () => {
  const { app, tenant, call } = useWebhooks({ retryDelaysMs: [0, 60_000, 60_000], concurrencyPerSubscription: 8 });

  const paused = async () => {
    const { id } = await app.subscribe(tenant.admin);
    await call('POST', `subscriptions/${id}/pause`);
    return id;
  };
  const resume = (id: string) => call('POST', `subscriptions/${id}/resume`);
  const recover = (id: string, body: object = {}) => call('POST', `subscriptions/${id}/recover`, body);
  const recovery = (id: string) => call('GET', `subscriptions/${id}/recovery`);
  const finished = async (id: string) => {
    const hasEnded = async () => (await recovery(id)).body.state !== 'running';
    await waitUntil(hasEnded, { timeoutMs: 20_000, describe: 'the recovery to end' });
    return (await recovery(id)).body;
  };
  const heldCount = async (id: string) => (await call('GET', `subscriptions/${id}`)).body.heldCount;
  const count = async (sql: string): Promise<number> => {
    const [row] = await app.rows<{ count: number }>(tenant.id, `SELECT count(*)::int AS count FROM ${sql}`);
    return row?.count ?? 0;
  };
  const inStatus = (status: string) => count(`delivery WHERE status = '${status}'`);
  const delivered = (many: number) =>
    waitUntil(async () => (await inStatus('delivered')) === many, {
      timeoutMs: 30_000,
      describe: 'all are delivered',
    });

  /** What a subscription holds that was paused for long: events a second apart, the last one a minute ago. */
  const addHeld = async (subscriptionId: string, many: number) => {
    const first = Date.now() - 60_000 - many * 1_000;
    const events = Array.from({ length: many }, (_one, index) => idOf(first + index * 1_000, randomUUID()));
    const ids = events.map((event, index) => idOf(first + index * 1_000, event, subscriptionId));
    await app.service.get(Database).crossTenant(async (tx) => {
      await tx.query(
        `INSERT INTO event_body (tenant_id, id, event, body)
         SELECT $1, id, 'lead.created', '{}' FROM unnest($2::uuid[]) AS id`,
        [tenant.id, events],
      );
      await tx.query(
        `INSERT INTO delivery (tenant_id, id, subscription_id, event_id, event, url, status, attempts)
         SELECT $1, id, $2, event_id, 'lead.created', $3, 'held', 0
           FROM unnest($4::uuid[], $5::uuid[]) AS held (id, event_id)`,
        [tenant.id, subscriptionId, `${app.receiver.url}/hook`, ids, events],
      );
      await tx.query('UPDATE subscription_hold SET held = $2 WHERE subscription_id = $1', [subscriptionId, many]);
    });
    return events;
  };
  const arrivals = (events: readonly string[]) => {
    const wanted = new Set(events);
    return app.receiver.requests
      .map(({ headers }) => headers['webhook-id'] as string)
      .filter((event) => wanted.has(event));
  };

  it('sends all of it and says how far it is', async () => {
    const id = await paused();
    const events = [await app.emit(tenant.id), await app.emit(tenant.id)];
    await resume(id);
    const { status, body } = await recover(id);
    expect(status).toBe(202);
    expect(body).toMatchObject({
      state: 'running',
      since: null,
      includeFailed: false,
      total: 2,
      done: 0,
      remaining: 2,
    });
    const times = { startedAt: body.startedAt, finishedAt: expect.any(String) };
    expect(await finished(id)).toMatchObject({ state: 'completed', total: 2, done: 2, remaining: 0, ...times });
    await app.settled(tenant.admin, 'delivered');
    for (const event of events) expect(app.received(event.id)).toHaveLength(1);
    expect(await heldCount(id)).toBe(0);
  });

  it('is refused while the subscription is paused or disabled', async () => {
    const id = await paused();
    await app.emit(tenant.id);
    expect(await recover(id)).toMatchObject({
      status: 409,
      body: { code: 'CONFLICT', detail: 'The subscription is paused; resume it first' },
    });
    expect((await recovery(id)).status).toBe(404);
    expect(await inStatus('held')).toBe(1);
  });

  it.each([{ since: 'yesterday' }, { limit: 0 }])('is refused with %j', async (body) => {
    const { id } = await app.subscribe(tenant.admin);
    expect((await recover(id, body)).status).toBe(422);
  });

  it('sends the oldest events first, and at most as many as asked for', async () => {
    const id = await paused();
    const events = await addHeld(id, 12);
    await resume(id);
    expect((await recover(id, { limit: 5 })).body).toMatchObject({ total: 5 });
    await finished(id);
    await waitUntil(() => arrivals(events).length === 5, { describe: 'five arrive' });
    expect(arrivals(events).sort()).toEqual(events.slice(0, 5));
    expect([await inStatus('held'), await heldCount(id)]).toEqual([7, 7]);

    const since = new Date(millisecondsOfId(events.at(-3) as string)).toISOString();
    expect((await recover(id, { since })).body).toMatchObject({ total: 3, since });
    await finished(id);
    await waitUntil(() => arrivals(events).length === 8, { describe: 'the last three arrive' });
    expect(arrivals(events).sort()).toEqual([...events.slice(0, 5), ...events.slice(-3)]);
  });

  it('sends failed deliveries too when it is asked for', async () => {
    const { id } = await app.subscribe(tenant.admin);
    const event = await app.emit(tenant.id);
    await app.settled(tenant.admin, 'delivered');
    await app.asAdministrator(
      `UPDATE delivery SET status = 'failed', attempts = 3, error_code = 'http_5xx' WHERE event_id = $1`,
      [event.id],
    );
    expect((await recover(id)).body).toMatchObject({ total: 0 });
    expect(await finished(id)).toMatchObject({ state: 'completed', total: 0 });
    expect((await recover(id, { includeFailed: true })).body).toMatchObject({ total: 1, includeFailed: true });
    await finished(id);
    expect(await app.settled(tenant.admin, 'delivered')).toMatchObject([{ attempts: 4 }]);
    expect(app.received(event.id)).toHaveLength(2);
  });

  it('runs once however often it is asked for', async () => {
    const { opened: answered, open: answer } = gate();
    app.receiver.respondWith(() => answered.then(() => ({ status: 204 })));
    const id = await paused();
    const many = DUE_AT_A_TIME + 20;
    const events = await addHeld(id, many);
    await resume(id);
    const answers = await Promise.all([recover(id), recover(id), recover(id)]);
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(new Set(answers.map(({ body }) => body.startedAt)).size).toBe(1);
    answer();
    await finished(id);
    await delivered(many);
    expect(arrivals(events).sort()).toEqual([...events].sort());
  }, 60_000);

  it('makes a few due at a time, so that a receiver that hangs and many deliveries are in nobody’s way', async () => {
    const { opened: answered, open: answer } = gate();
    app.receiver.respondWith(async ({ path }) => {
      if (path === '/hook') await answered;
      return { status: 204 };
    });
    const id = await paused();
    const many = DUE_AT_A_TIME + 150;
    const events = await addHeld(id, many);
    await resume(id);
    await recover(id);
    await waitUntil(async () => (await recovery(id)).body.done === DUE_AT_A_TIME, { describe: 'the first are due' });
    // Another look changes nothing while they wait.
    const nextLook = async () => JSON.stringify(await app.rows(tenant.id, 'SELECT due_at FROM recovery'));
    const before = await nextLook();
    await waitUntil(async () => (await nextLook()) !== before, { describe: 'another look' });
    expect(await count('due_delivery')).toBe(DUE_AT_A_TIME);
    expect(await heldCount(id)).toBe(150);

    const other = await app.tenant();
    await app.subscribe(other.admin, { url: `${app.receiver.url}/other` });
    const event = await app.emit(other.id);
    expect(app.received(event.id)).toHaveLength(1);

    answer();
    expect(await finished(id)).toMatchObject({ state: 'completed', total: many, done: many });
    await delivered(many);
    expect(new Set(arrivals(events)).size).toBe(many);
    expect(await heldCount(id)).toBe(0);
  }, 60_000);

  it('stops when the subscription is paused, and goes on from what is held', async () => {
    const id = await paused();
    const events = await addHeld(id, 10);
    await resume(id);
    // No process works on recoveries until the next one starts.
    await app.service.get(RecoveryWorker).beforeApplicationShutdown();
    await recover(id);
    await call('POST', `subscriptions/${id}/pause`);
    const sibling = await app.startSibling();
    expect(await finished(id)).toMatchObject({ state: 'stopped', total: 10, done: 0, remaining: 10 });
    expect(arrivals(events)).toEqual([]);
    await resume(id);
    expect((await recover(id)).body).toMatchObject({ state: 'running', total: 10 });
    await finished(id);
    await delivered(10);
    await sibling.close();
  });

  it('is taken over when a process dies, and nothing is sent twice or left behind', async () => {
    const id = await paused();
    const events = await addHeld(id, 30);
    await resume(id);
    await app.service.get(RecoveryWorker).beforeApplicationShutdown();
    await recover(id);
    // What a process leaves that dies within a step: a claim, and nothing else.
    await app.asAdministrator(
      `UPDATE recovery SET claim = gen_random_uuid(), due_at = now() + interval '1 second' WHERE subscription_id = $1`,
      [id],
    );
    const siblings = await Promise.all([app.startSibling(), app.startSibling()]);
    expect(await finished(id)).toMatchObject({ state: 'completed', total: 30, done: 30 });
    await delivered(30);
    expect(arrivals(events).sort()).toEqual([...events].sort());
    for (const sibling of siblings) await sibling.close();
  });

  it('sends a held delivery by hand, unless its subscription is paused', async () => {
    const id = await paused();
    const event = await app.emit(tenant.id);
    const [held] = await app.deliveries(tenant.admin);
    const redeliver = () => call('POST', `deliveries/${held?.id}/redeliver`);
    const detail = 'The subscription is paused; resume it first';
    expect(await redeliver()).toMatchObject({ status: 409, body: { detail } });
    await resume(id);
    expect((await redeliver()).status).toBe(202);
    await app.settled(tenant.admin, 'delivered');
    expect(app.received(event.id)).toHaveLength(1);
    expect(await heldCount(id)).toBe(0);
  });

  it('ends with its subscription', async () => {
    const id = await paused();
    await addHeld(id, 5);
    await resume(id);
    await recover(id);
    expect((await call('DELETE', `subscriptions/${id}`)).status).toBe(204);
    expect(await count('recovery')).toBe(0);
  });
});

import { randomUUID } from 'node:crypto';
import { Database, idOf, millisecondsOfId } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { DUE_AT_A_TIME, RecoveryWorker } from '../src/ledger/recovery.worker.js';
import { gate, useWebhooks } from './webhook-service.js';

interface RecoveryJson {
  state: string;
  since: string | null;
  includeFailed: boolean;
  total: number;
  done: number;
  remaining: number;
  startedAt: string;
  finishedAt: string | null;
  code?: string;
  detail?: string;
}

describe('recovering what a subscription holds', () => {
  const { app, tenant } = useWebhooks({
    retryDelaysMs: [0, 60_000, 60_000],
    concurrency: 16,
    slowConcurrency: 64,
    concurrencyPerSubscription: 8,
  });
  beforeEach(() => {
    app.receiver.respondWith(() => ({ status: 204 }));
  });

  const call = <Body = RecoveryJson>(method: string, path: string, body?: object, token = tenant.admin) =>
    app.service.request<Body>(method, `/api/webhooks/subscriptions/${path}`, { token, ...(body && { body }) });
  const paused = async (changes: object = {}) => {
    const { id } = await app.subscribe(tenant.admin, changes);
    await call('POST', `${id}/pause`);
    return id;
  };
  const recover = (id: string, body: object = {}) => call('POST', `${id}/recover`, body);
  const finished = async (id: string): Promise<RecoveryJson> => {
    let recovery: RecoveryJson | undefined;
    await waitUntil(
      async () => {
        recovery = (await call('GET', `${id}/recovery`)).body;
        return recovery.state !== 'running';
      },
      { timeoutMs: 20_000, describe: 'the recovery to end' },
    );
    return recovery as RecoveryJson;
  };
  const heldCount = async (id: string) => (await call<{ heldCount: number }>('GET', id)).body.heldCount;
  const count = async (sql: string): Promise<number> => {
    const [row] = await app.rows<{ count: number }>(tenant.id, `SELECT count(*)::int AS count FROM ${sql}`);
    return row?.count ?? 0;
  };
  const inStatus = (status: string) => count(`delivery WHERE status = '${status}'`);

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
    await call('POST', `${id}/resume`);
    const started = await recover(id);
    expect([started.status, started.body]).toEqual([
      202,
      expect.objectContaining({ state: 'running', since: null, includeFailed: false, total: 2, done: 0, remaining: 2 }),
    ]);
    expect(await finished(id)).toMatchObject({
      state: 'completed',
      total: 2,
      done: 2,
      remaining: 0,
      startedAt: started.body.startedAt,
      finishedAt: expect.any(String),
    });
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
    expect((await call('GET', `${id}/recovery`)).status).toBe(404);
    expect(await inStatus('held')).toBe(1);
  });

  it('is for administrators of the tenant', async () => {
    const { id } = await app.subscribe(tenant.admin);
    const stranger = await app.tenant();
    expect((await call('POST', `${id}/recover`, {}, stranger.admin)).status).toBe(404);
    expect((await call('GET', `${id}/recovery`, undefined, stranger.admin)).status).toBe(404);
    expect((await call('POST', `${id}/recover`, {}, tenant.member)).status).toBe(403);
    expect((await call('POST', `${id}/recover`, { since: 'yesterday' })).status).toBe(422);
    expect((await call('POST', `${id}/recover`, { limit: 0 })).status).toBe(422);
  });

  it('sends the oldest events first, and at most as many as asked for', async () => {
    const id = await paused();
    const events = await addHeld(id, 12);
    await call('POST', `${id}/resume`);
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
    await call('POST', `${id}/resume`);
    const answers = await Promise.all([recover(id), recover(id), recover(id)]);
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(new Set(answers.map(({ body }) => body.startedAt)).size).toBe(1);
    answer();
    await finished(id);
    await waitUntil(async () => (await inStatus('delivered')) === many, {
      timeoutMs: 30_000,
      describe: 'all are delivered',
    });
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
    await call('POST', `${id}/resume`);
    await recover(id);
    await waitUntil(async () => (await call('GET', `${id}/recovery`)).body.done === DUE_AT_A_TIME, {
      describe: 'the first are due',
    });
    // Another look changes nothing while they wait.
    const due = app.service.get(Database);
    const looks = async () =>
      (
        await due.transaction(tenant.id, (tx) =>
          tx.query<{ due_at: Date }>('SELECT due_at FROM recovery WHERE subscription_id = $1', [id]),
        )
      )[0]?.due_at.getTime();
    const before = await looks();
    await waitUntil(async () => (await looks()) !== before, { describe: 'another look' });
    expect(await count('due_delivery')).toBe(DUE_AT_A_TIME);
    expect(await heldCount(id)).toBe(150);

    const other = await app.tenant();
    await app.subscribe(other.admin, { url: `${app.receiver.url}/other` });
    const event = await app.emit(other.id);
    expect(app.received(event.id)).toHaveLength(1);

    answer();
    expect(await finished(id)).toMatchObject({ state: 'completed', total: many, done: many });
    await waitUntil(async () => (await inStatus('delivered')) === many, {
      timeoutMs: 30_000,
      describe: 'all are delivered',
    });
    expect(new Set(arrivals(events)).size).toBe(many);
    expect(await heldCount(id)).toBe(0);
  }, 60_000);

  it('stops when the subscription is paused, and goes on from what is held', async () => {
    const id = await paused();
    const events = await addHeld(id, 10);
    await call('POST', `${id}/resume`);
    // No process works on recoveries until the next one starts.
    await app.service.get(RecoveryWorker).beforeApplicationShutdown();
    await recover(id);
    await call('POST', `${id}/pause`);
    const sibling = await app.startSibling();
    expect(await finished(id)).toMatchObject({ state: 'stopped', total: 10, done: 0, remaining: 10 });
    expect(arrivals(events)).toEqual([]);
    await call('POST', `${id}/resume`);
    expect((await recover(id)).body).toMatchObject({ state: 'running', total: 10 });
    await finished(id);
    await waitUntil(async () => (await inStatus('delivered')) === 10, { describe: 'all are delivered' });
    await sibling.close();
  });

  describe('when a process dies', () => {
    it('is taken over, and nothing is sent twice or left behind', async () => {
      const id = await paused();
      const events = await addHeld(id, 30);
      await call('POST', `${id}/resume`);
      await app.service.get(RecoveryWorker).beforeApplicationShutdown();
      await recover(id);
      // What a process leaves that dies within a step: a claim, and nothing else.
      await app.asAdministrator(
        `UPDATE recovery SET claim = gen_random_uuid(), due_at = now() + interval '1 second' WHERE subscription_id = $1`,
        [id],
      );
      const siblings = await Promise.all([app.startSibling(), app.startSibling()]);
      expect(await finished(id)).toMatchObject({ state: 'completed', total: 30, done: 30 });
      await waitUntil(async () => (await inStatus('delivered')) === 30, { describe: 'all are delivered' });
      expect(arrivals(events).sort()).toEqual([...events].sort());
      for (const sibling of siblings) await sibling.close();
    });
  });

  it('sends a held delivery by hand, unless its subscription is paused', async () => {
    const id = await paused();
    const event = await app.emit(tenant.id);
    const [held] = await app.deliveries(tenant.admin);
    const path = `/api/webhooks/deliveries/${held?.id}/redeliver`;
    expect(await app.service.request('POST', path, { token: tenant.admin })).toMatchObject({
      status: 409,
      body: { detail: 'The subscription is paused; resume it first' },
    });
    await call('POST', `${id}/resume`);
    expect((await app.service.request('POST', path, { token: tenant.admin })).status).toBe(202);
    await app.settled(tenant.admin, 'delivered');
    expect(app.received(event.id)).toHaveLength(1);
    expect(await heldCount(id)).toBe(0);
  });

  it('ends with its subscription', async () => {
    const id = await paused();
    await addHeld(id, 5);
    await call('POST', `${id}/resume`);
    await recover(id);
    expect((await call('DELETE', id)).status).toBe(204);
    expect(await count('recovery')).toBe(0);
  });
});

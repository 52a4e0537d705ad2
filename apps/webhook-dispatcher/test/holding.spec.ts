import { randomUUID } from 'node:crypto';
import { type EventEnvelope, isVisibleToApp } from '@crm/contracts';
import { idOf, millisecondsOfId } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { RecoverySignal } from '../src/ledger/recovery.service.js';
import { DUE_AT_A_TIME, RecoveryWorker } from '../src/ledger/recovery.worker.js';
import { DiscardedHoldSweeper, HoldRecountSweeper } from '../src/queue/queue.sweepers.js';
import { SubscriptionQueueSignal } from '../src/queue/queue-signals.js';
import { SubscriptionService } from '../src/subscriptions/subscription.service.js';
import { envelope, useWebhooks } from './webhook-service.js';

const HELD_PER_SUBSCRIPTION = 5;

const { app, tenant, call } = useWebhooks(
  { retryDelaysMs: [0, 60_000, 60_000], concurrencyPerSubscription: 8 },
  HELD_PER_SUBSCRIPTION,
);
const read = async (id: string) => (await call('GET', `subscriptions/${id}`)).body;
const pause = (id: string) => call('POST', `subscriptions/${id}/pause`);
const resume = (id: string) => call('POST', `subscriptions/${id}/resume`);
const paused = async () => {
  const { id } = await app.subscribe(tenant.admin);
  await pause(id);
  return id;
};

describe('a subscription that is paused or disabled', () => {
  const makeDue = async () => {
    for (const table of ['due_delivery', 'subscription_queue'])
      await app.asAdministrator(`UPDATE ${table} SET due_at = now() WHERE tenant_id = $1`, [tenant.id]);
    app.service.get(SubscriptionQueueSignal).signal();
  };
  const discard = () => app.service.get(DiscardedHoldSweeper).sweep(new AbortController().signal);
  const rows = <Row>(sql: string, parameters: unknown[] = []) => app.rows<Row>(tenant.id, sql, parameters);
  const statuses = async () => (await app.deliveries(tenant.admin, '?size=50')).map(({ status }) => status).sort();
  const isDisabled = (id: string) =>
    waitUntil(async () => (await read(id)).status === 'disabled', { describe: 'the subscription is disabled' });
  const disabledEvents = async () => {
    const sql = `SELECT envelope FROM outbox WHERE name = 'webhook.endpoint_disabled' AND tenant_id = $1`;
    const events = await app.asAdministrator<{ envelope: EventEnvelope }>(sql, [tenant.id]);
    return events.map(({ envelope: event }) => event);
  };

  it('holds its events: nothing is sent, claimed or retried; sends new ones after it is resumed', async () => {
    const { id } = await app.subscribe(tenant.admin);
    const body = { status: 'paused', enabled: false, disabledReason: null, heldCount: 0 };
    expect(await pause(id)).toMatchObject({ status: 200, body });
    const held = await app.emit(tenant.id);
    expect(await app.deliveries(tenant.admin)).toMatchObject([{ eventId: held.id, status: 'held', attempts: 0 }]);
    for (const table of ['due_delivery', 'subscription_queue'])
      expect(await rows(`SELECT * FROM ${table}`)).toEqual([]);
    expect(await read(id)).toMatchObject({ status: 'paused', heldCount: 1, heldDropped: 0 });
    expect(await resume(id)).toMatchObject({ status: 200, body: { status: 'active', enabled: true, heldCount: 1 } });
    const sent = await app.emit(tenant.id);
    expect([app.received(held.id).length, app.received(sent.id).length]).toEqual([0, 1]);
    expect(await statuses()).toEqual(['delivered', 'held']);
  });

  it('is paused and resumed as often as it is asked, also when it belongs to an app', async () => {
    const installationId = randomUUID();
    const [subscription] = await app.provision(tenant.id, { installationId });
    const id = subscription?.id as string;
    for (const change of [resume, pause, pause, resume]) {
      const status = change === pause ? 'paused' : 'active';
      expect(await change(id)).toMatchObject({ status: 200, body: { status } });
    }
    await pause(id);
    const event = await app.emit(tenant.id);
    expect(await read(id)).toMatchObject({ status: 'paused', heldCount: 1 });
    await resume(id);
    expect(app.received(event.id)).toEqual([]);
    await app.service.get(SubscriptionService).remove(tenant.id, installationId, false);
    await discard();
    expect(await app.deliveries(tenant.admin)).toMatchObject([
      { status: 'failed', lastError: { code: 'subscription_deleted' } },
    ]);
  });

  it('holds what waited for an attempt when it was paused, and keeps its attempts', async () => {
    app.answer(500);
    const { id } = await app.subscribe(tenant.admin);
    const first = await app.emit(tenant.id);
    expect(await app.deliveries(tenant.admin)).toMatchObject([{ status: 'retrying', attempts: 1 }]);
    // May wait for its first attempt, because the receiver has just failed.
    await app.emit(tenant.id);
    await pause(id);
    await makeDue();
    const held = await app.settled(tenant.admin, 'held');
    for (const delivery of held) expect(delivery).not.toHaveProperty('nextAttemptAt');
    const lastError = { code: 'http_5xx', httpStatus: 500 };
    expect(held.find(({ eventId }) => eventId === first.id)).toMatchObject({ attempts: 1, lastError });
    expect(await read(id)).toMatchObject({ heldCount: 2 });
    expect(app.received(first.id)).toHaveLength(1);
    expect(await rows('SELECT * FROM due_delivery')).toEqual([]);
  });

  it('ends an attempt under way as usual', async () => {
    const answer = app.holdAnswers();
    const { id } = await app.subscribe(tenant.admin);
    const event = envelope(tenant.id, 'lead.created', { id: randomUUID() });
    const handled = app.handle(event);
    await app.arrival(event.id);
    await pause(id);
    answer();
    await handled;
    expect(await app.settled(tenant.admin, 'delivered')).toMatchObject([{ attempts: 1 }]);
    expect(await read(id)).toMatchObject({ heldCount: 0 });
  });

  it('holds as many as it may, over replicas, and counts the events that come then', async () => {
    const { id } = await app.subscribe(tenant.admin);
    await app.subscribe(tenant.admin, { url: `${app.receiver.url}/other` });
    await pause(id);
    const sibling = await app.startSibling();
    const events = Array.from({ length: HELD_PER_SUBSCRIPTION + 4 }, () =>
      envelope(tenant.id, 'lead.created', { id: randomUUID() }),
    );
    const processes = [app.service, sibling];
    await Promise.all(events.map((event, index) => app.handle(event, { isRepeated: false }, processes[index % 2])));
    expect(await read(id)).toMatchObject({ heldCount: HELD_PER_SUBSCRIPTION, heldDropped: 4 });
    expect(await app.deliveries(tenant.admin, `?status=held&subscriptionId=${id}`)).toHaveLength(HELD_PER_SUBSCRIPTION);
    // The other subscription gets all of them.
    expect(await app.deliveries(tenant.admin, '?status=delivered&size=50')).toHaveLength(events.length);

    await resume(id);
    await pause(id);
    expect(await read(id)).toMatchObject({ heldCount: HELD_PER_SUBSCRIPTION, heldDropped: 0 });
  });

  it('stores no body of an event that nobody holds', async () => {
    await paused();
    for (let index = 0; index < HELD_PER_SUBSCRIPTION + 2; index += 1) await app.emit(tenant.id);
    expect(await rows('SELECT id FROM event_body')).toHaveLength(HELD_PER_SUBSCRIPTION);
  });

  it('counts an event once that comes again', async () => {
    const id = await paused();
    const event = envelope(tenant.id, 'lead.created', { id: randomUUID() });
    const sibling = await app.startSibling();
    await Promise.all([app.service, sibling].map((by) => app.handle(event, { isRepeated: false }, by)));
    expect(await read(id)).toMatchObject({ heldCount: 1, heldDropped: 0 });
  });

  it('is counted again when retention has dropped what it held', async () => {
    const id = await paused();
    const gone = await app.emit(tenant.id);
    await app.emit(tenant.id);
    await app.asAdministrator('DELETE FROM delivery WHERE event_id = $1', [gone.id]);
    expect(await read(id)).toMatchObject({ heldCount: 2 });
    await app.service.get(HoldRecountSweeper).sweep(new AbortController().signal);
    expect(await read(id)).toMatchObject({ heldCount: 1 });
  });

  it('discards what it held when it is deleted, and the ledger says so', async () => {
    const id = await paused();
    await app.emit(tenant.id);
    await app.emit(tenant.id);
    expect((await call('DELETE', `subscriptions/${id}`)).status).toBe(204);
    await discard();
    const discarded = { status: 'failed', lastError: { code: 'subscription_deleted' } };
    expect(await app.deliveries(tenant.admin)).toMatchObject([discarded, discarded]);
    expect(await rows('SELECT * FROM subscription_hold')).toEqual([]);
  });

  describe('because its receiver is gone or fails', () => {
    it.each([
      ['of the workspace that no app can see', false],
      ['of an app that this app alone can see', true],
    ])(
      'holds what was answered 410 and all that follows, and emits an event about an endpoint %s',
      async (_, isOfApp) => {
        app.answer(410);
        const [created] = isOfApp ? await app.provision(tenant.id) : [await app.subscribe(tenant.admin)];
        const id = created?.id as string;
        const first = await app.emit(tenant.id);
        await isDisabled(id);
        const reason = 'the endpoint returned 410 Gone';
        const owner = isOfApp ? { appKey: 'acme-visits' } : { description: null };
        const url = `${app.receiver.url}/${isOfApp ? 'app' : 'hook'}`;
        const data = { subscription: { id, events: ['lead.created'], url, ...owner }, reason, heldDeliveries: 1 };
        const events = await disabledEvents();
        expect(events).toMatchObject([{ type: 'webhook.endpoint_disabled', subject: id, tenantid: tenant.id, data }]);
        const [event] = events as [EventEnvelope];
        const installationId = event.installationid ?? null;
        const visibleTo = (appKey: string) => isVisibleToApp(event, { appKey, installationId, sandbox: false });
        expect(visibleTo('acme-visits')).toBe(isOfApp);
        expect(isVisibleToApp(event, { appKey: 'other-app', installationId: null, sandbox: false })).toBe(false);

        await app.emit(tenant.id);
        expect(await statuses()).toEqual(['held', 'held']);
        const delivery = (await app.deliveries(tenant.admin)).find(({ eventId }) => eventId === first.id);
        expect(delivery).toMatchObject({ attempts: 1, lastError: { httpStatus: 410 } });
        expect(app.received(first.id)).toHaveLength(1);
        expect(await read(id)).toMatchObject({ enabled: false, disabledReason: reason, heldCount: 2 });
        // Pausing it does not hide why.
        expect((await pause(id)).body).toMatchObject({ status: 'disabled' });
      },
    );

    /** Attempts have failed since then, in so many hours, the last one then. */
    const failing = (id: string, [sinceDays, hours, lastHoursAgo]: readonly number[]) =>
      rows(
        `UPDATE webhook_subscription
            SET failing_since = now() - $2 * interval '1 day', failing_hours = $3, failed_at = now() - $4 * interval '1 hour'
          WHERE id = $1`,
        [id, sinceDays, hours, lastHoursAgo],
      );
    const failures = async (id: string) => {
      const sql = `SELECT failing_hours AS hours, round(extract(epoch FROM now() - failing_since) / 86400)::int AS days
                     FROM webhook_subscription WHERE id = $1`;
      return (await rows<{ hours: number; days: number }>(sql, [id]))[0];
    };
    const failOnce = async () => {
      app.answer(500);
      await app.emit(tenant.id);
    };
    const hasFailed = (id: string, hours: number) =>
      waitUntil(async () => (await failures(id))?.hours === hours, { describe: 'the failure is noted' });

    it.each([
      ['fewer failures', [6, 3, 30], { hours: 4, days: 6 }],
      ['events that fail a week apart: each begins again', [7, 8, 96], { hours: 1, days: 0 }],
    ] as const)('is not disabled by %s', async (_, before, after) => {
      const { id } = await app.subscribe(tenant.admin);
      await failing(id, before);
      await failOnce();
      await hasFailed(id, after.hours);
      expect(await failures(id)).toEqual(after);
      expect(await read(id)).toMatchObject({ status: 'active' });
    });

    it('is disabled when every attempt has failed for five days, in five hours of them, and then resumed', async () => {
      const { id } = await app.subscribe(tenant.admin);
      await failing(id, [6, 4, 30]);
      await failOnce();
      await isDisabled(id);
      expect(await read(id)).toMatchObject({ disabledReason: 'all attempts failed for five days' });
      expect(await disabledEvents()).toHaveLength(1);
      // Its retry, which would fail after the resumption.
      await makeDue();
      await app.settled(tenant.admin, 'held');
      await resume(id);
      expect(await failures(id)).toEqual({ hours: 0, days: null });
      await failOnce();
      await hasFailed(id, 1);
      expect(await read(id)).toMatchObject({ status: 'active', disabledReason: null });
    });
  });
});

describe('recovering what a subscription holds', () => {
  let id: string;
  beforeEach(async () => {
    id = await paused();
  });
  const recover = (body: object = {}) => call('POST', `subscriptions/${id}/recover`, body);
  const recovery = () => call('GET', `subscriptions/${id}/recovery`);
  const finished = async () => {
    const hasEnded = async () => (await recovery()).body.state !== 'running';
    await waitUntil(hasEnded, { timeoutMs: 20_000, describe: 'the recovery to end' });
    return (await recovery()).body;
  };
  const heldCount = async () => (await read(id)).heldCount;
  const count = async (sql: string): Promise<number> => {
    const [row] = await app.rows<{ count: number }>(tenant.id, `SELECT count(*)::int AS count FROM ${sql}`);
    return row?.count ?? 0;
  };
  const inStatus = (status: string) => count(`delivery WHERE status = '${status}'`);
  const delivered = (many: number) => {
    const areDelivered = async () => (await inStatus('delivered')) === many;
    return waitUntil(areDelivered, { timeoutMs: 30_000, describe: 'all are delivered' });
  };

  /** What a subscription holds that was paused for long: events a second apart, the last one a minute ago. */
  const addHeld = async (many: number) => {
    const first = Date.now() - 60_000 - many * 1_000;
    const events = Array.from({ length: many }, (_one, index) => idOf(first + index * 1_000, randomUUID()));
    const ids = events.map((event, index) => idOf(first + index * 1_000, event, id));
    const bodies = `INSERT INTO event_body (tenant_id, id, event, body)
                    SELECT $1::uuid, id, 'lead.created', '{}' FROM unnest($2::uuid[]) AS id`;
    await app.asAdministrator(bodies, [tenant.id, events]);
    const held = `INSERT INTO delivery (tenant_id, id, subscription_id, event_id, event, url, status, attempts)
                  SELECT $1::uuid, id, $2::uuid, event_id, 'lead.created', $3, 'held', 0
                    FROM unnest($4::uuid[], $5::uuid[]) AS held (id, event_id)`;
    await app.asAdministrator(held, [tenant.id, id, `${app.receiver.url}/hook`, ids, events]);
    await app.asAdministrator('UPDATE subscription_hold SET held = $2 WHERE subscription_id = $1', [id, many]);
    return events;
  };
  const arrivals = (events: readonly string[]) => {
    const ids = app.receiver.requests.map(({ headers }) => headers['webhook-id'] as string);
    return ids.filter((id) => events.includes(id));
  };

  it('sends all of it and says how far it is', async () => {
    const events = [await app.emit(tenant.id), await app.emit(tenant.id)];
    await resume(id);
    const { status, body } = await recover();
    const running = { state: 'running', since: null, includeFailed: false, total: 2, done: 0, remaining: 2 };
    expect([status, body]).toMatchObject([202, running]);
    const times = { startedAt: body.startedAt, finishedAt: expect.any(String) };
    expect(await finished()).toMatchObject({ state: 'completed', total: 2, done: 2, remaining: 0, ...times });
    await app.settled(tenant.admin, 'delivered');
    for (const event of events) expect(app.received(event.id)).toHaveLength(1);
    expect(await heldCount()).toBe(0);
  });

  it('is refused while the subscription is paused or disabled, and with an invalid time or number', async () => {
    for (const body of [{ since: 'yesterday' }, { limit: 0 }]) expect((await recover(body)).status).toBe(422);
    await app.emit(tenant.id);
    const conflict = { code: 'CONFLICT', detail: 'The subscription is paused. Resume it first' };
    expect(await recover()).toMatchObject({ status: 409, body: conflict });
    expect((await recovery()).status).toBe(404);
    expect(await inStatus('held')).toBe(1);
  });

  it('sends the oldest events first, and at most as many as asked for', async () => {
    const events = await addHeld(12);
    await resume(id);
    expect((await recover({ limit: 5 })).body).toMatchObject({ total: 5 });
    await finished();
    await waitUntil(() => arrivals(events).length === 5, { describe: 'five arrive' });
    expect(arrivals(events).sort()).toEqual(events.slice(0, 5));
    expect([await inStatus('held'), await heldCount()]).toEqual([7, 7]);

    const since = new Date(millisecondsOfId(events.at(-3) as string)).toISOString();
    expect((await recover({ since })).body).toMatchObject({ total: 3, since });
    await finished();
    await waitUntil(() => arrivals(events).length === 8, { describe: 'the last three arrive' });
    expect(arrivals(events).sort()).toEqual([...events.slice(0, 5), ...events.slice(-3)]);
  });

  it('sends failed deliveries too when it is asked for', async () => {
    await resume(id);
    const event = await app.emit(tenant.id);
    await app.settled(tenant.admin, 'delivered');
    const sql = `UPDATE delivery SET status = 'failed', attempts = 3, error_code = 'http_5xx' WHERE event_id = $1`;
    await app.asAdministrator(sql, [event.id]);
    expect((await recover()).body).toMatchObject({ total: 0 });
    expect(await finished()).toMatchObject({ state: 'completed', total: 0 });
    expect((await recover({ includeFailed: true })).body).toMatchObject({ total: 1, includeFailed: true });
    await finished();
    expect(await app.settled(tenant.admin, 'delivered')).toMatchObject([{ attempts: 4 }]);
    expect(app.received(event.id)).toHaveLength(2);
  });

  it('runs once and makes a few due at a time, so that a receiver that hangs is in nobody’s way', async () => {
    const answer = app.holdAnswers('/hook');
    const many = DUE_AT_A_TIME + 150;
    const events = await addHeld(many);
    await resume(id);
    const answers = await Promise.all([recover(), recover(), recover()]);
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(new Set(answers.map(({ body }) => body.startedAt)).size).toBe(1);
    await waitUntil(async () => (await recovery()).body.done === DUE_AT_A_TIME, { describe: 'the first are due' });
    // Another look changes nothing while they wait.
    const nextLook = async () => JSON.stringify(await app.rows(tenant.id, 'SELECT due_at FROM recovery'));
    const before = await nextLook();
    await waitUntil(async () => (await nextLook()) !== before, { describe: 'another look' });
    expect(await count('due_delivery')).toBe(DUE_AT_A_TIME);
    expect(await heldCount()).toBe(150);

    const other = await app.tenant();
    await app.subscribe(other.admin, { url: `${app.receiver.url}/other` });
    const event = await app.emit(other.id);
    expect(app.received(event.id)).toHaveLength(1);

    answer();
    expect(await finished()).toMatchObject({ state: 'completed', total: many, done: many });
    await delivered(many);
    expect(arrivals(events).sort()).toEqual([...events].sort());
    expect(await heldCount()).toBe(0);
  });

  it('stops when the subscription is paused, and goes on from what is held', async () => {
    const events = await addHeld(10);
    await resume(id);
    // No process works on recoveries until the next one starts.
    await app.service.get(RecoveryWorker).beforeApplicationShutdown();
    await recover();
    await pause(id);
    const sibling = await app.startSibling();
    expect(await finished()).toMatchObject({ state: 'stopped', total: 10, done: 0, remaining: 10 });
    expect(arrivals(events)).toEqual([]);
    await resume(id);
    expect((await recover()).body).toMatchObject({ state: 'running', total: 10 });
    sibling.get(RecoverySignal).signal();
    await finished();
    await delivered(10);
  });

  it('is taken over when a process dies, and nothing is sent twice or left behind', async () => {
    const events = await addHeld(30);
    await resume(id);
    await app.service.get(RecoveryWorker).beforeApplicationShutdown();
    await recover();
    // What a process leaves that dies within a step: a claim, and nothing else.
    const claim = "SET claim = $2, due_at = now() + interval '1 second'";
    await app.asAdministrator(`UPDATE recovery ${claim} WHERE subscription_id = $1`, [id, randomUUID()]);
    await Promise.all([app.startSibling(), app.startSibling()]);
    expect(await finished()).toMatchObject({ state: 'completed', total: 30, done: 30 });
    await delivered(30);
    expect(arrivals(events).sort()).toEqual([...events].sort());
  });

  it('sends a held delivery by hand, unless its subscription is paused', async () => {
    const event = await app.emit(tenant.id);
    const [held] = await app.deliveries(tenant.admin);
    const redeliver = () => call('POST', `deliveries/${held?.id}/redeliver`);
    const detail = 'The subscription is paused. Resume it first';
    expect(await redeliver()).toMatchObject({ status: 409, body: { detail } });
    await resume(id);
    expect((await redeliver()).status).toBe(202);
    await app.settled(tenant.admin, 'delivered');
    expect(app.received(event.id)).toHaveLength(1);
    expect(await heldCount()).toBe(0);
  });

  it('ends with its subscription', async () => {
    await addHeld(5);
    await resume(id);
    await recover();
    expect((await call('DELETE', `subscriptions/${id}`)).status).toBe(204);
    expect(await count('recovery')).toBe(0);
  });
});

import { randomUUID } from 'node:crypto';
import { type EventEnvelope, isVisibleToApp } from '@crm/contracts';
import { waitUntil } from '@crm/testing';
import { describe, expect, it } from '@jest/globals';
import { DiscardedHoldSweeper, HoldRecountSweeper } from '../src/queue/queue.sweepers.js';
import { SubscriptionService } from '../src/subscriptions/subscription.service.js';
import { envelope, gate, startWebhooks, useWebhooks } from './webhook-service.js';

const HELD_PER_SUBSCRIPTION = 5;

describe('a subscription that is paused or disabled', () => {
  const { app, tenant, call } = useWebhooks({}, HELD_PER_SUBSCRIPTION);
  const read = async (id: string) => (await call('GET', `subscriptions/${id}`)).body;
  const pause = (id: string) => call('POST', `subscriptions/${id}/pause`);
  const resume = (id: string) => call('POST', `subscriptions/${id}/resume`);
  const paused = async () => {
    const { id } = await app.subscribe(tenant.admin);
    await pause(id);
    return id;
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

  it('holds its events: nothing is sent, claimed or retried', async () => {
    const { id } = await app.subscribe(tenant.admin);
    expect(await pause(id)).toMatchObject({
      status: 200,
      body: { status: 'paused', enabled: false, disabledReason: null, heldCount: 0 },
    });
    const event = await app.emit(tenant.id);
    expect(await app.deliveries(tenant.admin)).toMatchObject([{ eventId: event.id, status: 'held', attempts: 0 }]);
    for (const table of ['due_delivery', 'subscription_queue'])
      expect(await rows(`SELECT * FROM ${table}`)).toEqual([]);
    expect(app.received(event.id)).toEqual([]);
    expect(await read(id)).toMatchObject({ status: 'paused', heldCount: 1, heldDropped: 0 });
  });

  it('sends new events after it is resumed, and goes on holding what it holds', async () => {
    const id = await paused();
    const held = await app.emit(tenant.id);
    expect(await resume(id)).toMatchObject({ status: 200, body: { status: 'active', enabled: true, heldCount: 1 } });
    const sent = await app.emit(tenant.id);
    expect(app.received(sent.id)).toHaveLength(1);
    expect(app.received(held.id)).toEqual([]);
    expect(await statuses()).toEqual(['delivered', 'held']);
  });

  it('can be paused and resumed again, as often as it is asked', async () => {
    const { id } = await app.subscribe(tenant.admin);
    for (const change of [resume, pause, pause, resume]) {
      const status = change === pause ? 'paused' : 'active';
      expect(await change(id)).toMatchObject({ status: 200, body: { status } });
    }
  });

  it('is paused and resumed also when it belongs to an app', async () => {
    const installationId = randomUUID();
    const [subscription] = await app.provision(tenant.id, { installationId });
    const id = subscription?.id as string;
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
    const slow = await startWebhooks({ retryDelaysMs: [0, 3_000, 3_000] });
    try {
      const other = await slow.tenant();
      slow.receiver.respondWith(() => ({ status: 500 }));
      const { id } = await slow.subscribe(other.admin);
      const first = await slow.emit(other.id);
      expect(await slow.deliveries(other.admin)).toMatchObject([{ status: 'retrying', attempts: 1 }]);
      // May wait for its first attempt, because the receiver has just failed.
      await slow.emit(other.id);
      await slow.call(other.admin, 'POST', `subscriptions/${id}/pause`);
      const held = await slow.settled(other.admin, 'held');
      for (const delivery of held) expect(delivery).not.toHaveProperty('nextAttemptAt');
      const lastError = { code: 'http_5xx', httpStatus: 500 };
      expect(held.find(({ eventId }) => eventId === first.id)).toMatchObject({ attempts: 1, lastError });
      expect((await slow.call(other.admin, 'GET', `subscriptions/${id}`)).body).toMatchObject({ heldCount: 2 });
      expect(slow.received(first.id)).toHaveLength(1);
      expect(await slow.rows(other.id, 'SELECT * FROM due_delivery')).toEqual([]);
    } finally {
      await slow.close();
    }
  });

  it('ends an attempt under way as usual', async () => {
    const { opened: answered, open: answer } = gate();
    app.receiver.respondWith(() => answered.then(() => ({ status: 204 })));
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
    await sibling.close();
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
    await sibling.close();
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
    for (const delivery of await app.deliveries(tenant.admin)) {
      expect(delivery).toMatchObject({ status: 'failed', lastError: { code: 'subscription_deleted' } });
    }
    expect(await rows('SELECT * FROM subscription_hold')).toEqual([]);
  });

  describe('because its receiver is gone or fails', () => {
    it('holds the delivery that was answered 410 and all that follow', async () => {
      app.receiver.respondWith(() => ({ status: 410 }));
      const { id } = await app.subscribe(tenant.admin);
      const first = await app.emit(tenant.id);
      await isDisabled(id);
      await app.emit(tenant.id);
      expect(await statuses()).toEqual(['held', 'held']);
      const delivery = (await app.deliveries(tenant.admin)).find(({ eventId }) => eventId === first.id);
      expect(delivery).toMatchObject({ attempts: 1, lastError: { httpStatus: 410 } });
      expect(app.received(first.id)).toHaveLength(1);
      const disabledReason = 'the receiver answered 410 Gone';
      expect(await read(id)).toMatchObject({ enabled: false, disabledReason, heldCount: 2 });
      // Pausing it does not hide why.
      expect((await pause(id)).body).toMatchObject({ status: 'disabled' });
    });

    it('emits an event about an endpoint of the workspace that no app can see', async () => {
      app.receiver.respondWith(() => ({ status: 410 }));
      const { id } = await app.subscribe(tenant.admin);
      await app.emit(tenant.id);
      await isDisabled(id);
      const events = await disabledEvents();
      const subscription = { id, events: ['lead.created'], url: `${app.receiver.url}/hook`, description: null };
      const data = { subscription, reason: 'the receiver answered 410 Gone', heldDeliveries: 1 };
      expect(events).toMatchObject([{ type: 'webhook.endpoint_disabled', subject: id, tenantid: tenant.id, data }]);
      expect(isVisibleToApp(events[0] as EventEnvelope, 'acme-visits')).toBe(false);
    });

    it('emits an event about an endpoint of an app that this app alone can see', async () => {
      app.receiver.respondWith(() => ({ status: 410 }));
      const [subscription] = await app.provision(tenant.id);
      await app.emit(tenant.id);
      await isDisabled(subscription?.id as string);
      const [event] = (await disabledEvents()) as [EventEnvelope];
      expect(event.data).toMatchObject({ subscription: { appKey: 'acme-visits' } });
      expect(['acme-visits', 'other-app'].map((key) => isVisibleToApp(event, key))).toEqual([true, false]);
    });

    /** As if attempts had failed since then, in so many hours, the last one then. */
    const failing = (id: string, sinceDays: number, hours: number, lastHoursAgo: number) =>
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
      app.receiver.respondWith(() => ({ status: 500 }));
      await app.emit(tenant.id);
    };
    const hasFailed = (id: string, hours: number) =>
      waitUntil(async () => (await failures(id))?.hours === hours, { describe: 'the failure is noted' });

    it('is disabled when every attempt has failed for five days, in five of their hours', async () => {
      const { id } = await app.subscribe(tenant.admin);
      await failing(id, 6, 4, 30);
      await failOnce();
      await isDisabled(id);
      expect(await read(id)).toMatchObject({ disabledReason: 'every attempt failed for five days' });
      expect(await disabledEvents()).toHaveLength(1);
    });

    it('is not disabled by fewer failures', async () => {
      const { id } = await app.subscribe(tenant.admin);
      await failing(id, 6, 3, 30);
      await failOnce();
      await hasFailed(id, 4);
      expect(await read(id)).toMatchObject({ status: 'active' });
    });

    it('is not disabled by events that fail a week apart: each begins again', async () => {
      const { id } = await app.subscribe(tenant.admin);
      await failing(id, 7, 8, 96);
      await failOnce();
      await hasFailed(id, 1);
      expect(await failures(id)).toEqual({ hours: 1, days: 0 });
      expect(await read(id)).toMatchObject({ status: 'active' });
    });

    it('forgets failures when it is resumed', async () => {
      const { id } = await app.subscribe(tenant.admin);
      await failing(id, 6, 4, 30);
      await failOnce();
      await isDisabled(id);
      // Its retry, which would fail after the resumption.
      await app.settled(tenant.admin, 'held');
      await resume(id);
      expect(await failures(id)).toEqual({ hours: 0, days: null });
      await failOnce();
      await hasFailed(id, 1);
      expect(await read(id)).toMatchObject({ status: 'active', disabledReason: null });
    });
  });
});

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { RevocationSource } from '@crm/access';
import { type EventEnvelope, PlatformError } from '@crm/contracts';
import { Database, idOf, newId } from '@crm/database';
import { NatsConnection, NatsStrategy } from '@crm/messaging';
import { verifyWebhook } from '@crm/sdk';
import {
  publishEvents,
  type ReceivedRequest,
  reinstateTenant,
  revokeApp,
  suspendTenant,
  waitUntil,
} from '@crm/testing';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { register } from 'prom-client';
import { AttemptSlots } from '../src/delivery/attempt-slots.js';
import { measureDueDeliveries } from '../src/delivery/due-delivery.repository.js';
import { LedgerWriter } from '../src/ledger/ledger-writer.js';
import { LedgerWriterRepository } from '../src/ledger/ledger-writer.repository.js';
import { ReceiverChanges } from '../src/subscriptions/receiver-changes.js';
import { type DeliveryJson, envelope, eventEntry, newDelivery, type Tenant, useWebhooks } from './webhook-service.js';

const { app, tenant, call } = useWebhooks({ retryDelaysMs: [0, 300, 300], concurrency: 32 });
afterEach(() => void jest.restoreAllMocks());

const lead = (changes: Partial<EventEnvelope> = {}): EventEnvelope => ({
  ...envelope(tenant.id, 'lead.created', { id: randomUUID(), version: 1, lastName: 'Doe' }),
  ...changes,
});
const rowsOf = async (table: string) => app.rows(tenant.id, `SELECT * FROM ${table}`);
const deliveredOnce = { status: 'delivered', attempts: 1 };

describe('the fan-out of an event', () => {
  it('measures how long after the event its first attempt begins, and not that of later ones', async () => {
    const measured = async () => {
      const text = await register.getSingleMetricAsString('webhook_first_attempt_delay_seconds');
      const numberOf = (series: string, lane: string) =>
        Number(new RegExp(`_${series}\\{[^}]*lane="${lane}"[^}]*\\} (\\S+)`).exec(text)?.[1] ?? 0);
      return { count: numberOf('count', 'direct'), sum: numberOf('sum', 'direct'), due: numberOf('count', 'due') };
    };
    await app.subscribe(tenant.admin);
    app.answer(503, 204);
    const before = await measured();
    await app.handle(lead({ id: idOf(Date.now() - 7_000, randomUUID()) }));
    await app.settled(tenant.admin, 'delivered');
    const after = await measured();
    expect([after.count - before.count, after.due - before.due]).toEqual([1, 0]);
    expect(after.sum - before.sum).toBeGreaterThanOrEqual(7);
    expect(after.sum - before.sum).toBeLessThan(60);
  });

  it('sends the signed record, and writes one row that also has the attempt when the first one succeeds', async () => {
    app.receiver.respondWith(() => ({ status: 200, body: 'thanks' }));
    const { secret } = await app.subscribe(tenant.admin);
    const event = await app.emit(tenant.id);
    const { body: sent, headers } = await app.arrival(event.id);
    expect(verifyWebhook(sent, headers, secret)).toEqual({
      id: event.id,
      type: 'lead.created',
      timestamp: event.time,
      tenantId: tenant.id,
      dataschema: 'urn:crm:event:lead.created:v1',
      data: event.data.record,
    });
    for (const table of ['delivery_attempt', 'due_delivery', 'inbox']) expect(await rowsOf(table)).toEqual([]);
    const [delivery] = (await app.deliveries(tenant.admin)) as [DeliveryJson];
    expect(delivery).toMatchObject({ event: 'lead.created', eventId: event.id });
    expect(delivery).not.toHaveProperty('lastError');
    const { body } = await call('GET', `deliveries/${delivery.id}`);
    const attemptLog = [{ httpStatus: 200, responseExcerpt: 'thanks' }];
    expect(body).toMatchObject({ ...deliveredOnce, attemptLog });
  });

  it('reaches only subscriptions of its tenant that existed, name the event and have a filter that passes', async () => {
    const early = lead({ time: new Date(Date.now() - 60_000).toISOString() });
    const stranger = await app.tenant();
    await app.subscribe(stranger.admin);
    await app.subscribe(tenant.admin, { events: ['lead.updated'] });
    await app.subscribe(tenant.admin, { filter: 'lastName == "Other"' });
    const wanted = await app.subscribe(tenant.admin, { filter: 'lastName == "Doe"' });
    await app.handle(early);
    const { id: eventId } = await app.emit(tenant.id);
    expect(await app.settled(tenant.admin, 'delivered')).toMatchObject([{ subscriptionId: wanted.id, eventId }]);
    expect(await app.deliveries(stranger.admin)).toEqual([]);
  });

  it('does not wait for pauses and permits of a clock that was ahead', async () => {
    const { id } = await app.subscribe(tenant.admin, { rateLimit: 100 });
    await app.asAdministrator(
      `UPDATE webhook_subscription SET paused_at = now() + interval '1 hour', paused_until = now() + interval '61 minutes',
              rate_reserved_until = now() + interval '30 days', version = version + 1 WHERE id = $1`,
      [id],
    );
    await app.service.get(ReceiverChanges).announce({ tenantId: tenant.id });
    await app.service.get(NatsConnection).flush();
    app.answer(429, 204);
    expect((await app.delivered(tenant.id)).path).toBe('/hook');
    await app.settled(tenant.admin, 'delivered');
  });

  it('stores the body of an event once for all its deliveries', async () => {
    for (let index = 0; index < 10; index += 1) await app.subscribe(tenant.admin);
    const text = 'x'.repeat(100_000);
    const event = await app.emit(tenant.id, 'lead.created', { id: randomUUID(), version: 1, lastName: text });
    expect(await app.settled(tenant.admin, 'delivered')).toHaveLength(10);
    const bodies = await app.rows<{ length: number }>(tenant.id, 'SELECT length(body) AS length FROM event_body');
    expect(bodies).toEqual([{ length: app.received(event.id)[0]?.body.length }]);
    expect(app.received(event.id).map(({ body }) => JSON.parse(body).data.lastName)).toEqual(Array(10).fill(text));
  });

  it('resolves only when everything is recorded, and rejects when it cannot be', async () => {
    await app.subscribe(tenant.admin);
    const write = jest.spyOn(app.service.get(LedgerWriter), 'write').mockRejectedValue(new Error('no disk'));
    const event = lead();
    await expect(app.handle(event)).rejects.toThrow('no disk');
    write.mockRestore();
    expect(await app.deliveries(tenant.admin)).toEqual([]);
    // The stream delivers it again: sent twice, recorded once.
    await app.handle(event);
    expect(await app.deliveries(tenant.admin)).toMatchObject([deliveredOnce]);
    expect(app.received(event.id)).toHaveLength(2);
  });

  it('sends an event that comes again only if it was not recorded, however old it is', async () => {
    await app.subscribe(tenant.admin);
    const event = lead();
    await app.handle(event);
    await Promise.all([1, 2, 3].map(() => app.handle(event)));
    // Another process knows it from the ledger.
    const sibling = await app.startSibling();
    await app.handle(event, { isRepeated: true }, sibling);
    expect(app.received(event.id)).toHaveLength(1);
    expect(await app.deliveries(tenant.admin)).toHaveLength(1);
  });

  it('is left to the worker when its tenant has so many that others cannot be read', async () => {
    await app.subscribe(tenant.admin);
    const acquire = jest.spyOn(app.service.get(AttemptSlots), 'acquire');
    const event = lead();
    for (const isRepeated of [false, true]) await app.handle(event, { isRepeated, shouldPutOff: true });
    await app.settled(tenant.admin, 'delivered');
    expect(acquire).not.toHaveBeenCalled();
    expect(app.received(event.id)).toHaveLength(1);
  });

  it('records once what two processes get at the same time', async () => {
    await app.subscribe(tenant.admin);
    const sibling = await app.startSibling();
    const event = lead();
    await Promise.all([app.service, sibling].map((by) => app.handle(event, { isRepeated: false }, by)));
    expect(await app.deliveries(tenant.admin)).toMatchObject([deliveredOnce]);
    expect(await rowsOf('due_delivery')).toEqual([]);
  });

  it('holds no event for a receiver that is known to hang, and records the outcome of each attempt', async () => {
    const answer = app.holdAnswers('/hang');
    for (const path of ['hang', 'quick']) await app.subscribe(tenant.admin, { url: `${app.receiver.url}/${path}` });
    const first = lead();
    await app.handle(first);
    const statuses = async () =>
      (await app.deliveries(tenant.admin)).map(({ status, attempts }) => `${status} ${attempts}`).sort();
    expect(await statuses()).toEqual(['delivered 1', 'pending 0']);

    const other = await app.tenant();
    await app.subscribe(other.admin, { url: `${app.receiver.url}/hang` });
    const held = app.handle(envelope(other.id, 'lead.created', { id: randomUUID() }));
    const events = Array.from({ length: 8 }, () => lead());
    const handled = Promise.all(events.map((event) => app.handle(event)));
    expect(await Promise.race([handled.then(() => 'known'), held.then(() => 'unknown')])).toBe('known');
    expect((await statuses()).filter((status) => status === 'delivered 1')).toHaveLength(9);

    answer();
    await app.counted(tenant.admin, 'delivered', 18);
    await held;
    for (const event of [first, ...events]) expect(app.received(event.id)).toHaveLength(2);
    expect(await rowsOf('due_delivery')).toEqual([]);
  });

  it('sends what waits for a slot as the subscription is when the wait ends', async () => {
    const answers: (() => void)[] = [];
    app.receiver.respondWith(async () => {
      await new Promise<void>((resolve) => answers.push(resolve));
      return { status: 204 };
    });
    const { id } = await app.subscribe(tenant.admin, { url: `${app.receiver.url}/before` });
    // One more than the configuration allows at a time.
    const events = Array.from({ length: 5 }, () => lead());
    const handled = Promise.all(events.map((event) => app.handle(event)));
    await waitUntil(() => answers.length === 4, { describe: 'the receiver is full' });
    await call('PATCH', `subscriptions/${id}`, { url: `${app.receiver.url}/after` });
    app.answer(204);
    for (const answer of answers) answer();
    await handled;
    await app.settled(tenant.admin, 'delivered');
    const paths = events.flatMap((event) => app.received(event.id).map((request) => request.path));
    expect(paths.sort()).toEqual(['/after', ...Array(4).fill('/before')]);
  });

  it('knows in every process what has changed as soon as the change is answered', async () => {
    const { id } = await app.subscribe(tenant.admin, { url: `${app.receiver.url}/before` });
    const sibling = await app.startSibling();
    const handle = async () => {
      const event = lead();
      // An event comes over the connection that the notices come over, after those that were sent before it.
      await sibling.get(NatsConnection).flush();
      await app.handle(event, { isRepeated: false }, sibling);
      return app.received(event.id).map(({ path }) => path);
    };
    expect(await handle()).toEqual(['/before']);
    const path = `subscriptions/${id}`;
    for (const [change, paths] of [
      [{ url: `${app.receiver.url}/after` }, ['/after']],
      [{ enabled: false }, []],
      [{ enabled: true }, ['/after']],
    ] as const) {
      await call('PATCH', path, change);
      expect(await handle()).toEqual(paths);
    }
    await call('DELETE', path);
    expect(await handle()).toEqual([]);
  });

  it('does not write records one by one to a database that is not available', async () => {
    const ledger = app.service.get(LedgerWriter);
    const unavailable = new PlatformError('SERVICE_UNAVAILABLE', 'gone', { cause: { code: '57P01' } });
    // Not transactions of all kinds, which workers open meanwhile.
    const writes = jest.spyOn(app.service.get(LedgerWriterRepository), 'write').mockRejectedValue(unavailable);
    const records = [1, 2, 3].map(() => ledger.write(eventEntry(tenant.id, [])));
    const outcomes = await Promise.allSettled(records);
    const { length } = writes.mock.calls;
    writes.mockRestore();
    expect(outcomes).toEqual(records.map(() => ({ status: 'rejected', reason: unavailable })));
    expect(length).toBe(1);
  });

  it('loses no record because of another one that is written with it and refused by the database', async () => {
    const ledger = app.service.get(LedgerWriter);
    const record = (eventId: string) =>
      ledger.write(eventEntry(tenant.id, [newDelivery({ status: 'failed', attempts: 1 })], { eventId }));
    const outcomes = await Promise.allSettled([newId(), 'no id', newId()].map(record));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await app.deliveries(tenant.admin)).toHaveLength(2);
  });
});

describe('a delivery', () => {
  it('is retried with the same id and body until the receiver accepts', async () => {
    let calls = 0;
    app.receiver.respondWith(() => {
      calls += 1;
      return calls < 3 ? { status: 503, body: 'busy' } : { status: 200 };
    });
    await app.subscribe(tenant.admin);
    const event = await app.emit(tenant.id);
    const [delivery] = await app.settled(tenant.admin, 'delivered');
    const bodies = app.received(event.id).map((request) => request.body);
    expect(bodies).toEqual(Array(3).fill(bodies[0]));
    const { body } = await call('GET', `deliveries/${delivery?.id}`);
    const busy = { httpStatus: 503, errorCode: 'http_5xx', responseExcerpt: 'busy' };
    expect(body.attemptLog).toMatchObject([busy, busy, { httpStatus: 200 }]);
  });

  it('fails after the last attempt with the reason, and can then be sent again, to the corrected URL', async () => {
    const redirect = { status: 302, headers: { location: 'https://169.254.169.254/' } };
    app.receiver.respondWith(({ path }) => (path === '/right' ? { status: 200 } : redirect));
    const { id } = await app.subscribe(tenant.admin);
    const event = await app.emit(tenant.id);
    const [failed] = await app.settled(tenant.admin, 'failed');
    expect(failed).toMatchObject({ attempts: 3, lastError: { code: 'redirect', httpStatus: 302 } });
    expect(app.received(event.id)).toHaveLength(3);

    const url = `${app.receiver.url}/right`;
    await call('PATCH', `subscriptions/${id}`, { url });
    expect((await call('POST', `deliveries/${failed?.id}/redeliver`)).status).toBe(202);
    expect(await app.settled(tenant.admin, 'delivered')).toMatchObject([{ attempts: 4, url }]);
  });

  it('is not held up by many slow receivers of another tenant', async () => {
    const answer = app.holdAnswers('/slow');
    for (let index = 0; index < 6; index += 1) await app.subscribe(tenant.admin, { url: `${app.receiver.url}/slow` });
    for (let index = 0; index < 4; index += 1) await app.emit(tenant.id);
    await app.receiver.waitFor(({ path }) => path === '/slow');

    const other = await app.tenant();
    await app.subscribe(other.admin);
    await app.delivered(other.id);
    answer();
    await app.counted(tenant.admin, 'delivered', 24);
  });

  it('is not delayed by a dead receiver', async () => {
    const dead = await app.tenant();
    await app.subscribe(dead.admin, { url: `${app.receiver.url}/dead` });
    await app.subscribe(tenant.admin, { url: `${app.receiver.url}/alive` });
    app.receiver.respondWith((request) => ({ status: request.path === '/dead' ? 500 : 204 }));
    for (let index = 0; index < 40; index += 1) await app.emit(dead.id);
    await app.arrival((await app.emit(tenant.id)).id, 10_000);
    // Throttled, never dropped: every one of them is still in the ledger.
    expect((await app.deliveries(dead.admin, '?size=200')).length).toBe(40);
  });

  it('is taken over from a process that died, which can then no longer record an attempt', async () => {
    const { id: subscriptionId } = await app.subscribe(tenant.admin);
    const ledger = app.service.get(LedgerWriter);
    const [id, claim, eventId] = [randomUUID(), randomUUID(), randomUUID()];
    const url = `${app.receiver.url}/hook`;
    const until = new Date(Date.now() + 1_500);
    // What a process leaves that is killed while it waits for an answer.
    const left = newDelivery({ id, subscriptionId, url, dueAt: new Date(), claim: { id: claim, until } });
    await ledger.write(eventEntry(tenant.id, [left], { eventId }));
    expect((await app.arrival(eventId, 10_000)).receivedAt.getTime()).toBeGreaterThanOrEqual(until.getTime());
    expect(await app.settled(tenant.admin, 'delivered')).toMatchObject([{ id, attempts: 1, subscriptionId }]);

    const answer = { httpStatus: 500, responseExcerpt: null, retryAfterMs: null };
    const outcome = { at: new Date(), latencyMs: 1, error: { code: 'http_5xx', message: 'no' }, ...answer } as const;
    const delivery = { tenantId: tenant.id, deliveryId: id, subscriptionId, claim, url } as const;
    const result = {
      status: 'failed',
      attempts: 1,
      outcome,
      throttled: 0,
      dueAt: null,
      isHead: false,
      isSetAside: false,
    } as const;
    expect(await ledger.write({ kind: 'settlement', ...delivery, ...result })).toBe(false);
    expect(await app.deliveries(tenant.admin)).toMatchObject([deliveredOnce]);
  });

  it('without a queue is found when the next process starts', async () => {
    const { id: subscriptionId } = await app.subscribe(tenant.admin);
    const eventId = randomUUID();
    const delivery = newDelivery({ subscriptionId, dueAt: new Date(Date.now() + 60_000) });
    await app.service.get(LedgerWriter).write(eventEntry(tenant.id, [delivery], { eventId }));
    await app.asAdministrator('UPDATE due_delivery SET due_at = now() WHERE delivery_id = $1', [delivery.id]);
    await app.asAdministrator('DELETE FROM subscription_queue WHERE subscription_id = $1', [subscriptionId]);
    await app.startSibling();
    await app.arrival(eventId);
    await app.settled(tenant.admin, 'delivered');
  });
});

describe('a suspended tenant', () => {
  let other: Tenant;
  beforeEach(async () => {
    other = await app.tenant();
  });

  const settles = (isSuspended: boolean) =>
    waitUntil(() => app.service.get(RevocationSource).isSuspended(tenant.id) === isSuspended, { timeoutMs: 1_000 });
  const suspend = () => suspendTenant(tenant.id).then(() => settles(true));
  const reinstate = () => reinstateTenant(tenant.id).then(() => settles(false));
  /** Until an event has been sent so many times. */
  const sent = (eventId: string, times: number) =>
    waitUntil(() => app.received(eventId).length === times, { timeoutMs: 10_000, describe: `${times} requests` });
  /** A delivery of another tenant from its failed first attempt to its second: by then a worker has looked at what is due. */
  async function anotherRetry(): Promise<void> {
    await app.subscribe(other.admin);
    app.answer(503);
    const { id } = await app.emit(other.id);
    app.answer(204);
    await sent(id, 2);
  }

  it.each(['none', 'record'])('is sent nothing, and what it missed afterwards, with the order %s', async (ordering) => {
    await app.subscribe(tenant.admin, { ordering });
    await suspend();
    const event = await app.emit(tenant.id);
    await anotherRetry();
    expect(app.received(event.id)).toEqual([]);
    const deliveries = await app.rows(tenant.id, 'SELECT status, attempts FROM delivery');
    expect(deliveries).toEqual([{ status: 'pending', attempts: 0 }]);
    // It waits for something that no worker can give it, so nobody is to be woken for it.
    const { everyTenant } = app.service.get(Database);
    const measured = await everyTenant.read<{ items: number }>(measureDueDeliveries, [[tenant.id]]);
    expect(measured.filter(({ items }) => items > 0)).toEqual([]);
    await reinstate();
    await sent(event.id, 1);
    await app.settled(tenant.admin, 'delivered');
  });

  it('has retries that wait, and spend none of their attempts', async () => {
    await app.subscribe(tenant.admin);
    app.answer(503);
    const event = await app.emit(tenant.id);
    await suspend();
    await anotherRetry();
    const before = app.received(event.id).length;
    await reinstate();
    await sent(event.id, before + 1);
    expect(await app.settled(tenant.admin, 'delivered')).toMatchObject([{ attempts: before + 1 }]);
  });

  it('is sent nothing by a process that does not know yet who is suspended', async () => {
    await app.subscribe(tenant.admin);
    await suspend();
    const waiting = await app.emit(tenant.id);
    await app.subscribe(other.admin);
    // A process starts like this, until the first cut-offs have arrived.
    const revocations = app.service.get(RevocationSource);
    const unknown = [
      jest.spyOn(revocations, 'ready', 'get').mockReturnValue(false),
      jest.spyOn(revocations, 'isSuspended').mockReturnValue(false),
      jest.spyOn(revocations, 'suspendedTenants').mockReturnValue([]),
    ];
    const young = await app.emit(tenant.id);
    const others = await app.emit(other.id);
    // Far more than a worker takes that may send.
    await delay(700);
    for (const { id } of [waiting, young, others]) expect(app.received(id)).toEqual([]);
    for (const each of unknown) each.mockRestore();
    await sent(others.id, 1);
    for (const { id } of [waiting, young]) expect(app.received(id)).toEqual([]);
    await reinstate();
    await sent(young.id, 1);
  });
});

describe('a revoked app', () => {
  it('gets no delivery, holds what was queued, and others go on', async () => {
    const appKey = `revoked-${randomUUID()}`;
    const [ofApp] = await app.provision(tenant.id, { appKey });
    app.answer(503);
    const queued = await app.emit(tenant.id);
    await waitUntil(() => app.received(queued.id).length > 0);
    await revokeApp(appKey);
    await waitUntil(() => app.service.get(RevocationSource).isAppRevoked(appKey), { timeoutMs: 1_000 });
    const before = app.received(queued.id).length;
    app.answer(204);
    await app.subscribe(tenant.admin);
    const next = await app.emit(tenant.id);
    await waitUntil(() => app.received(next.id).length > 0);
    const statuses = () =>
      app.rows<{ of: string; status: string; event: string }>(
        tenant.id,
        `SELECT CASE subscription_id WHEN $1 THEN 'app' ELSE 'workspace' END AS of, status, event_id AS event
           FROM delivery ORDER BY event_id`,
        [ofApp?.id],
      );
    await waitUntil(async () => (await statuses()).some(({ status }) => status === 'held'), { timeoutMs: 5_000 });
    await waitUntil(async () => (await statuses()).some(({ status }) => status === 'delivered'));
    expect(await statuses()).toEqual([
      { of: 'app', status: 'held', event: queued.id },
      { of: 'workspace', status: 'delivered', event: next.id },
    ]);
    expect(app.received(queued.id)).toHaveLength(before);
    // So is the subscription shown, whose row stays.
    const shown = (await call('GET', `subscriptions/${ofApp?.id}`)).body;
    const disabledReason = "The platform's operators have revoked the app";
    expect(shown).toMatchObject({ status: 'disabled', enabled: false, disabledReason });
    const test = await call('POST', `subscriptions/${ofApp?.id}/test`);
    expect([test.status, app.received(next.id).length]).toEqual([409, 1]);
  });
});

// Last, because its service takes no more events from the stream.
describe('a tenant that imports', () => {
  it('does not hold up others: 20 events behind 4,000 of its own are attempted before the 1,000th of these', async () => {
    const importing = await app.tenant();
    await app.subscribe(importing.admin, { url: `${app.receiver.url}/import` });
    await app.subscribe(tenant.admin);
    // Nobody takes any before all are in the stream.
    for (const consumer of app.service.get(NatsStrategy).eventConsumers()) await consumer.stop();
    const leadsOf = (tenantid: string, count: number) => Array.from({ length: count }, () => lead({ tenantid }));
    const few = leadsOf(tenant.id, 20);
    await publishEvents(...leadsOf(importing.id, 4_000), ...few);
    const { requests } = app.receiver;
    requests.length = 0;
    await app.startSibling();
    const isOurs = ({ path }: ReceivedRequest) => path === '/hook';
    const areAttempted = () => requests.filter(isOurs).length >= few.length;
    await waitUntil(areAttempted, { timeoutMs: 30_000, describe: 'all are attempted' });
    expect(requests.findLastIndex(isOurs) + 1 - few.length).toBeLessThan(1_000);
  });
});

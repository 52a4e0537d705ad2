import { randomUUID } from 'node:crypto';
import { type EventEnvelope, PlatformError } from '@crm/contracts';
import { idOf, newId } from '@crm/database';
import { NatsConnection } from '@crm/messaging';
import { waitUntil } from '@crm/testing';
import { describe, expect, it, jest } from '@jest/globals';
import { register } from 'prom-client';
import { LedgerWriter } from '../src/ledger/ledger-writer.js';
import { LedgerWriterRepository } from '../src/ledger/ledger-writer.repository.js';
import { type DeliveryJson, envelope, eventEntry, newDelivery, useWebhooks } from './webhook-service.js';

describe('the fan-out of an event', () => {
  const { app, tenant, call } = useWebhooks({ retryDelaysMs: [0, 20_000], concurrency: 32 });

  const lead = (changes: Partial<EventEnvelope> = {}): EventEnvelope => ({
    ...envelope(tenant.id, 'lead.created', { id: randomUUID(), version: 1, lastName: 'Doe' }),
    ...changes,
  });
  const rowsOf = async (table: string) => app.rows(tenant.id, `SELECT * FROM ${table}`);

  it('measures how long after the event its first attempt begins, and not that of later ones', async () => {
    const delays = async () => {
      const { values = [] } = (await register.getSingleMetric('webhook_first_attempt_delay_seconds')?.get()) ?? {};
      const named = values as { metricName?: string; labels: Record<string, unknown>; value: number }[];
      const of = (suffix: string, lane: string) =>
        named.find((one) => one.metricName?.endsWith(suffix) && one.labels.lane === lane)?.value ?? 0;
      return { count: of('_count', 'direct'), sum: of('_sum', 'direct'), due: of('_count', 'due') };
    };
    await app.subscribe(tenant.admin);
    app.answer(503);
    const before = await delays();
    await app.handle(lead({ id: idOf(Date.now() - 7_000, randomUUID()) }));
    const after = await delays();
    expect([after.count - before.count, after.due - before.due]).toEqual([1, 0]);
    expect(after.sum - before.sum).toBeGreaterThanOrEqual(7);
    expect(after.sum - before.sum).toBeLessThan(60);
  });

  it('writes one row for a delivery whose first attempt succeeds, which also has the attempt', async () => {
    app.receiver.respondWith(() => ({ status: 200, body: 'thanks' }));
    await app.subscribe(tenant.admin);
    await app.handle(lead());
    expect(await rowsOf('delivery_attempt')).toEqual([]);
    expect(await rowsOf('due_delivery')).toEqual([]);
    expect(await rowsOf('inbox')).toEqual([]);
    const [delivery] = (await app.deliveries(tenant.admin)) as [DeliveryJson];
    const { body } = await call('GET', `deliveries/${delivery.id}`);
    const attemptLog = [{ httpStatus: 200, responseExcerpt: 'thanks' }];
    expect(body).toMatchObject({ status: 'delivered', attempts: 1, attemptLog });
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
    expect(await app.deliveries(tenant.admin)).toMatchObject([{ status: 'delivered', attempts: 1 }]);
    expect(app.received(event.id)).toHaveLength(2);
  });

  it('sends an event that comes again only if it was not recorded, however old it is', async () => {
    await app.subscribe(tenant.admin);
    const event = lead();
    await app.handle(event);
    await Promise.all([1, 2, 3].map(() => app.handle(event, { isRepeated: true })));
    // Another process knows it from the ledger.
    const sibling = await app.startSibling();
    await app.handle(event, { isRepeated: true }, sibling);
    expect(app.received(event.id)).toHaveLength(1);
    expect(await app.deliveries(tenant.admin)).toHaveLength(1);
  });

  it('records once what two processes get at the same time', async () => {
    await app.subscribe(tenant.admin);
    const sibling = await app.startSibling();
    const event = lead();
    await Promise.all([app.service, sibling].map((by) => app.handle(event, { isRepeated: false }, by)));
    expect(await app.deliveries(tenant.admin)).toMatchObject([{ status: 'delivered', attempts: 1 }]);
    expect(await rowsOf('due_delivery')).toEqual([]);
  });

  it('gives a subscription nothing from before it existed', async () => {
    const early = lead({ time: new Date(Date.now() - 5_000).toISOString() });
    await app.subscribe(tenant.admin);
    await app.handle(early);
    expect(await app.deliveries(tenant.admin)).toEqual([]);
  });

  it('holds no event for a receiver that is known to hang, and records the outcome of each attempt', async () => {
    const answer = app.holdAnswers('/hang');
    await app.subscribe(tenant.admin, { url: `${app.receiver.url}/hang` });
    await app.subscribe(tenant.admin, { url: `${app.receiver.url}/quick` });
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

  it('leaves a receiver alone for as long as it asks, with all its deliveries', async () => {
    app.receiver.respondWith(() => ({ status: 429, headers: { 'retry-after': '3600' } }));
    await app.subscribe(tenant.admin);
    const refused = lead();
    await app.handle(refused);
    app.answer(204);
    const waiting = lead();
    await app.handle(waiting);
    expect(await app.deliveries(tenant.admin)).toMatchObject([
      { eventId: waiting.id, status: 'pending', attempts: 0 },
      { eventId: refused.id, status: 'retrying', attempts: 1, lastError: { code: 'http_4xx', httpStatus: 429 } },
    ]);
    expect(app.received(waiting.id)).toEqual([]);
  });

  it('sends what waits for a slot as the subscription is when the wait ends', async () => {
    const answers: (() => void)[] = [];
    app.receiver.respondWith(async () => {
      await new Promise<void>((resolve) => answers.push(resolve));
      return { status: 204 };
    });
    const { id } = await app.subscribe(tenant.admin, { url: `${app.receiver.url}/before` });
    // As many as the configuration allows at a time, and one more.
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
      await sibling.get(NatsConnection).ping();
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

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CONSUMERS, type EventEnvelope, type EventName, eventSubject, type ServiceName } from '@crm/contracts';
import { ConsumerProgress, NatsConnection, NatsStrategy, provisionStreams } from '@crm/messaging';
import { isOnCluster, type ReceivedRequest, testNats, waitUntil } from '@crm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { SlowAttempts } from '../src/delivery/attempt-slots.js';
import { DueDeliveryWorker } from '../src/delivery/due-delivery.worker.js';
import { LedgerWriter } from '../src/ledger/ledger-writer.js';
import { DeliveryOrderRepository } from '../src/queue/delivery-order.repository.js';
import { DeliveryOrderWorker } from '../src/queue/delivery-order.worker.js';

import { envelope, gate, useWebhooks, type WebhookService } from './webhook-service.js';

/** The built service, as it runs in production. */
const PROGRAM = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** Another process of the same service on the same database and broker. @returns what kills it and waits for its end */
async function startProcess({ config, receiver }: WebhookService): Promise<() => Promise<void>> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'crm-webhooks-'));
  const caFile = path.join(folder, 'ca.pem');
  await writeFile(caFile, receiver.ca);
  const child = spawn(process.execPath, [PROGRAM], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env.PATH,
      PROFILE: 'test',
      PORT: '0',
      LOG_LEVEL: 'error',
      NATS_URL: config.service.nats.url,
      NATS_PASSWORD: config.service.nats.password,
      DATABASE_URL: config.database.url,
      DATABASE_NARROW_URL: config.database.narrowUrl,
      KEY_ENCRYPTION_KEY: config.keyEncryptionKey,
      EGRESS_ALLOW: new URL(receiver.url).host,
      EGRESS_CA_FILE: caFile,
      WEBHOOK_RETRY_DELAYS: config.delivery.retryDelaysMs.map((ms) => `${ms}ms`).join(','),
    },
  });
  const ended = once(child, 'exit').then(() => rm(folder, { recursive: true, force: true }));
  return () => {
    child.kill('SIGKILL');
    return ended;
  };
}

const MOST_ATTEMPTS = 5;
/** A property is hundreds of attempts, one after the other; after a kill, events come again after ten seconds. */
const LONG_MS = 120_000;

describe('deliveries in the order of records', () => {
  const { app, tenant, call } = useWebhooks({
    retryDelaysMs: [0, ...Array(MOST_ATTEMPTS - 1).fill(5)],
    concurrencyPerSubscription: 8,
  });
  let nats: NatsConnection;
  beforeAll(async () => {
    const { url, passwords } = testNats();
    const service = 'custom-objects';
    nats = await NatsConnection.open({ url, user: service, password: passwords[service], service });
  });
  afterAll(() => nats?.close());
  let recordId: string;
  beforeEach(() => {
    app.receiver.requests.length = 0;
    recordId = randomUUID();
  });

  const version = (recordId: string, number: number, tenantId = tenant.id): EventEnvelope => ({
    ...envelope(tenantId, number === 1 ? 'lead.created' : 'lead.updated', { id: recordId, version: number }),
    subject: recordId,
    recordversion: number,
  });
  /** Does what the service of the records does. @returns the sequence in the stream */
  const publish = async (event: EventEnvelope) => {
    const subject = eventSubject(event.type as EventName, event.tenantid);
    return (await nats.jetstream.publish(subject, JSON.stringify(event), { msgID: event.id })).seq;
  };
  const publishVersions = async (recordId: string, count: number, tenantId = tenant.id) => {
    const published = Array.from({ length: count }, (_, index) => publish(version(recordId, index + 1, tenantId)));
    return Math.max(...(await Promise.all(published)));
  };
  const subscribe = (changes: object = {}, token = tenant.admin) =>
    app.subscribe(token, { events: ['lead.*'], ordering: 'record', ...changes });
  const recordOf = ({ body }: ReceivedRequest): { id: string; version: number } => JSON.parse(body).data;
  /** Versions of a record in the order in which the receiver got them, repeated ones too. */
  const receivedVersions = (recordId: string) =>
    app.receiver.requests.map(recordOf).flatMap((record) => (record.id === recordId ? [record.version] : []));
  const ended = (total: number, timeoutMs = 15_000, token = tenant.admin) => {
    const haveEnded = async () => {
      const all = await app.deliveries(token, '?size=100');
      return all.length === total && all.every(({ status }) => status === 'delivered' || status === 'failed');
    };
    return waitUntil(haveEnded, { timeoutMs, describe: `${total} deliveries to end` });
  };

  it.each(['skip', 'hold'] as const)(
    'are one at a time and by version over two processes, however often attempts fail, with onStall: %s',
    async (onStall) => {
      await app.startSibling();
      // Failures of each version of each record. Few: five in a row of a receiver pause it for a second, then for longer.
      const some = { weight: 1, arbitrary: fc.nat({ max: MOST_ATTEMPTS - 1 }) };
      const number = fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, some);
      const ofRecord = fc.array(number, { minLength: 1, maxLength: 5 });
      const records = fc.array(ofRecord, { minLength: 2, maxLength: 5 });
      await fc.assert(
        fc.asyncProperty(records, fc.infiniteStream(fc.nat({ max: 4 })), async (failures, pauses) => {
          Object.assign(tenant, await app.tenant());
          await subscribe({ onStall });
          const ids = failures.map(() => randomUUID());
          const left = new Map(failures.map((ofRecord, index) => [ids[index] as string, [...ofRecord]]));
          const underWay = new Set<string>();
          const overlaps: string[] = [];
          app.receiver.respondWith(async (request) => {
            const { id, version: number } = recordOf(request);
            if (underWay.has(id)) overlaps.push(`${id} ${number}`);
            underWay.add(id);
            const remaining = left.get(id) as number[];
            const failsLeft = remaining[number - 1] as number;
            remaining[number - 1] = failsLeft - 1;
            await pause(pauses.next().value);
            underWay.delete(id);
            return { status: failsLeft > 0 ? 500 : 204 };
          });
          // The versions of all records, in turn.
          const longest = Math.max(...failures.map(({ length }) => length));
          for (let number = 1; number <= longest; number += 1) {
            for (const [index, id] of ids.entries()) {
              if (number <= (failures[index] as number[]).length) await publish(version(id, number));
            }
          }
          await ended(failures.flat().length, 30_000);

          const mostAttempts = onStall === 'skip' ? 3 : MOST_ATTEMPTS;
          for (const [index, id] of ids.entries()) {
            const expected = (failures[index] as number[]).flatMap((fails, before) =>
              Array(Math.min(fails + 1, mostAttempts)).fill(before + 1),
            );
            expect(receivedVersions(id)).toEqual(expected);
          }
          expect(overlaps).toEqual([]);
          const deliveries = await app.deliveries(tenant.admin, '?size=100');
          const setAside = deliveries.filter((delivery) => delivery.setAside);
          expect(setAside).toHaveLength(onStall === 'skip' ? failures.flat().filter((fails) => fails >= 3).length : 0);
          expect(setAside.every(({ status, attempts }) => status === 'failed' && attempts === 3)).toBe(true);
        }),
        { numRuns: isOnCluster ? 2 : 4, endOnFailure: true },
      );
    },
    LONG_MS,
  );

  /** The broker has lost its store, and an operator has made the streams anew. */
  const loseStreams = async () => {
    const { url, passwords } = testNats();
    const provisioner = { url, user: 'provisioner', password: passwords.provisioner };
    const connection = await NatsConnection.open({ ...provisioner, service: 'provisioner' as ServiceName });
    await (await connection.jetstream.jetstreamManager()).streams.delete('EVENTS');
    await connection.close();
    await provisionStreams(provisioner, { replicas: 1 });
  };

  it.each([
    ['received and not recorded', false],
    ['received, when the broker has lost all that it had', true],
  ])('waits for a version that another process has %s', async (_name, isLost) => {
    const sibling = await app.startSibling();
    await subscribe();
    if (isLost) {
      // Every process knows how far the lost stream was recorded.
      await publishVersions(randomUUID(), 30);
      await ended(30);
      await loseStreams();
    }
    const { opened: released, open: goOn } = gate();
    const first = version(recordId, 1);
    const writes = [app.service, sibling].map((service) => {
      const ledger = service.get(LedgerWriter);
      const write = ledger.write.bind(ledger);
      return jest.spyOn(ledger, 'write').mockImplementation(async (record) => {
        if (record.kind === 'event' && record.eventId === first.id) await released;
        return write(record);
      });
    });
    const orders = [app.service, sibling].map((service) => service.get(DeliveryOrderRepository));
    const looks = orders.map((order) => jest.spyOn(order, 'promoteNextDeliveries'));
    const looked = () => looks.reduce((sum, { mock }) => sum + mock.calls.length, 0);
    try {
      await publish(first);
      await publish(version(recordId, 2));
      const count = isLost ? 31 : 1;
      const areRecorded = async () => (await app.deliveries(tenant.admin, '?size=100')).length === count;
      await waitUntil(areRecorded, { timeoutMs: 15_000, describe: 'one is recorded' });
      const before = looked();
      const areMade = () => looked() >= before + 5 || receivedVersions(recordId).length > 0;
      await waitUntil(areMade, { describe: 'five more looks' });
      expect(receivedVersions(recordId)).toEqual([]);
    } finally {
      goOn();
      for (const spy of [...writes, ...looks]) spy.mockRestore();
    }
    await ended(isLost ? 32 : 2);
    expect(receivedVersions(recordId)).toEqual([1, 2]);
  });

  it('do not wait for receivers of other tenants that take their time', async () => {
    const other = await app.tenant();
    await app.subscribe(other.admin, { events: ['lead.*'], url: `${app.receiver.url}/slow` });
    await subscribe();
    // An attempt that takes a second gives its slot back; this one keeps it.
    const keepsItsSlot = jest.spyOn(app.service.get(SlowAttempts), 'tryAcquire').mockReturnValue(false);
    // It answers when the ordered delivery has come, which is published after its own.
    const { opened: arrived, open } = gate();
    app.receiver.respondWith(async ({ path: at }) => {
      if (at === '/slow') await arrived;
      else open();
      return { status: 204 };
    });
    try {
      await publish(version(randomUUID(), 1, other.id));
      await app.receiver.waitFor(({ path: at }) => at === '/slow');
      await publish(version(recordId, 1));
      await ended(1);
    } finally {
      open();
      keepsItsSlot.mockRestore();
    }
  });

  it('hold up neither events of others nor the acknowledgement of their own while one of a record hangs', async () => {
    const WAITING = 300;
    const { opened: answered, open: answer } = gate();
    const hot = randomUUID();
    app.receiver.respondWith(async (request) => {
      if (recordOf(request).id === hot) await answered;
      return { status: 204 };
    });
    await subscribe();
    const last = await publishVersions(hot, WAITING);
    const progress = app.service.get(ConsumerProgress);
    const areAcknowledged = async () => (await progress.acknowledged(CONSUMERS['webhook-dispatcher'])).upTo >= last;
    await waitUntil(areAcknowledged, { timeoutMs: 15_000, describe: 'all events of the record are acknowledged' });
    const other = await app.tenant();
    await subscribe({}, other.admin);
    await subscribe({ ordering: 'none' }, other.admin);
    const calm = randomUUID();
    await publishVersions(calm, 2, other.id);
    await ended(4, 15_000, other.admin);
    expect(receivedVersions(hot)).toEqual([1]);
    // Another record of the same subscription is not held up either.
    const next = randomUUID();
    await publishVersions(next, 2);
    await waitUntil(() => receivedVersions(next).length === 2, { describe: 'the other record is sent' });
    answer();
  });

  it('sends one again that was set aside when no other of its record is under way, and refuses one that waits', async () => {
    const { id: subscriptionId } = await subscribe();
    let refused: number[] = [1];
    const { opened: third, open: onThird } = gate();
    app.receiver.respondWith(async (request) => {
      const { version: number } = recordOf(request);
      if (number === 3) await third;
      return { status: refused.includes(number) ? 500 : 204 };
    });
    const events = [1, 2, 3, 4].map((number) => version(recordId, number));
    for (const event of events) await publish(event);
    await waitUntil(() => receivedVersions(recordId).includes(3), { timeoutMs: 15_000 });
    expect(receivedVersions(recordId)).toEqual([1, 1, 1, 2, 3]);
    const deliveryOf = async (number: number) =>
      (await app.deliveries(tenant.admin)).find(({ eventId }) => eventId === events[number - 1]?.id);
    const redeliver = async (number: number) => call('POST', `deliveries/${(await deliveryOf(number))?.id}/redeliver`);
    const aside = await deliveryOf(1);
    expect(aside).toMatchObject({ status: 'failed', setAside: true, attempts: 3, subscriptionId });
    expect(aside).not.toHaveProperty('nextAttemptAt');
    const waiting = await deliveryOf(4);
    expect(waiting).toMatchObject({ status: 'pending', setAside: false, attempts: 0 });
    expect(waiting).not.toHaveProperty('nextAttemptAt');
    expect(await redeliver(4)).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
    refused = [];
    expect(await redeliver(1)).toMatchObject({ status: 202, body: { status: 'retrying', setAside: false } });
    onThird();
    await ended(4);
    expect(receivedVersions(recordId)).toEqual([1, 1, 1, 2, 3, 1, 4]);
    expect(await deliveryOf(1)).toMatchObject({ status: 'delivered', setAside: false, attempts: 4 });
  });

  it('are held while the subscription is paused, and recovered in order', async () => {
    const { id } = await subscribe();
    const act = async (action: string) => (await call('POST', `subscriptions/${id}/${action}`, {})).status;
    const { opened: answered, open: answer } = gate();
    let isFirst = true;
    app.receiver.respondWith(async (request) => {
      if (!isFirst || recordOf(request).id !== recordId) return { status: 204 };
      isFirst = false;
      await answered;
      return { status: 500 };
    });
    // The first is under way and two wait behind it when the subscription is paused, two come afterwards.
    await publishVersions(recordId, 3);
    await waitUntil(() => !isFirst, { timeoutMs: 15_000, describe: 'the first attempt' });
    expect(await act('pause')).toBe(200);
    answer();
    for (const number of [4, 5]) await publish(version(recordId, number));
    await app.counted(tenant.admin, 'held', 5);
    expect(receivedVersions(recordId)).toEqual([1]);
    await act('resume');
    expect(await act('recover')).toBe(202);
    await ended(5, 20_000);
    expect(receivedVersions(recordId)).toEqual([1, 1, 2, 3, 4, 5]);
  });

  it('end one after the other when their subscription is deleted', async () => {
    const answer = app.holdAnswers(undefined, 500);
    const { id } = await subscribe();
    await publishVersions(recordId, 4);
    await waitUntil(async () => (await app.deliveries(tenant.admin)).length === 4);
    await waitUntil(() => receivedVersions(recordId).length === 1);
    await call('DELETE', `subscriptions/${id}`);
    answer();
    await app.settled(tenant.admin, 'failed');
    expect(receivedVersions(recordId)).toEqual([1]);
    expect(await app.rows(tenant.id, `SELECT state FROM ordered_delivery WHERE state <> 'ended'`)).toEqual([]);
  });

  it('have no order without a version of a record', async () => {
    await app.subscribe(tenant.admin, { events: ['app.installed'], ordering: 'record' });
    const { recordversion: _none, ...event } = version(randomUUID(), 1);
    const installed: EventEnvelope = { ...event, type: 'app.installed' };
    await app.handle(installed);
    // Made before it is recorded.
    expect(await app.deliveries(tenant.admin)).toMatchObject([{ status: 'delivered', attempts: 1 }]);
  });

  it(
    'go on in order after a kill -9 with one under way and events unacknowledged',
    async () => {
      const COUNT = 8;
      await subscribe();
      const ids = [randomUUID(), randomUUID(), randomUUID()];
      // This process leaves the work to the one that is killed.
      await app.service.get(NatsStrategy).close();
      await app.service.get(DeliveryOrderWorker).beforeApplicationShutdown();
      await app.service.get(DueDeliveryWorker).beforeApplicationShutdown();
      const kill = await startProcess(app);
      let died: Promise<void> | undefined;
      app.receiver.respondWith((request) => {
        // The third version of some record is sent and not answered.
        if (recordOf(request).version === 3) died ??= kill();
        return died ? 'hang' : { status: 204 };
      });
      for (let number = 1; number <= COUNT; number += 1) for (const id of ids) await publish(version(id, number));
      await waitUntil(() => died !== undefined, { timeoutMs: 30_000, describe: 'the process to be killed' });
      await died;
      app.answer(204);
      // Half a minute later, its claims are released; its events come again after ten seconds.
      const soon = "now() + interval '1 second' WHERE tenant_id = $1";
      await app.asAdministrator(`UPDATE due_delivery SET claimed_until = ${soon} AND claim IS NOT NULL`, [tenant.id]);
      await app.asAdministrator(`UPDATE subscription_queue SET due_at = ${soon}`, [tenant.id]);
      await app.startSibling();
      await ended(ids.length * COUNT, 90_000);
      const doubles: number[] = [];
      for (const id of ids) {
        const versions = receivedVersions(id);
        expect(versions).toEqual([...versions].sort((one, other) => one - other));
        expect([...new Set(versions)]).toEqual(Array.from({ length: COUNT }, (_, index) => index + 1));
        doubles.push(versions.length - COUNT);
      }
      // The one under way, once more, of each record at most.
      expect(Math.max(...doubles)).toBe(1);
    },
    LONG_MS,
  );
});

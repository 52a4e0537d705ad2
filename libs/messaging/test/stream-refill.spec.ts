import { cp, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { EVENTS } from '@crm/contracts';
import { appendEvent, newId } from '@crm/database';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { type NatsConnection, OutboxRelay } from '../src/index.js';
import { type Broker, startBroker, startDatabase, type TestDatabase, until } from './fixture.js';

describe('a stream that has lost events', () => {
  let broker: Broker;
  let store: TestDatabase;
  let nats: NatsConnection;
  let relay: OutboxRelay | undefined;
  /** Ids of the events that the relay has sent, each as often as it has. */
  let sent: string[] = [];
  const tenant = newId();

  beforeEach(async () => {
    [broker, store] = await Promise.all([startBroker(), startDatabase()]);
    nats = await broker.service('custom-objects');
    sent = [];
  });
  afterEach(async () => {
    await relay?.stop();
    await broker.stop();
    await store.drop();
  });

  const start = (lookMs = 60_000, batchSize = 256) => {
    const publish: NatsConnection['connection']['publish'] = (subject, payload, options) => {
      const id = options?.headers?.get('Nats-Msg-Id');
      if (id) sent.push(id);
      nats.connection.publish(subject, payload, options);
    };
    const connection = Object.assign(Object.create(nats.connection), { publish });
    const watched = Object.create(nats, { connection: { value: connection } });
    relay = new OutboxRelay(store.database, watched, { pollMs: 50, standbyMs: 30, retryMs: 50, lookMs, batchSize });
    relay.start();
  };
  const append = async (count: number) => {
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1) {
      ids.push(
        await store.database.transaction(tenant, (tx) =>
          appendEvent(tx, EVENTS['lead.created'], { subject: `s${index}`, data: { record: {} as never } }),
        ),
      );
    }
    return ids;
  };
  const publish = async (count: number) => {
    const ids = await append(count);
    await until(async () => (await marked()) === (await appended()), 'they are published');
    return ids;
  };
  const numberOf = async (sql: string) => Number((await store.admin<{ n: string }>(sql))[0]?.n ?? 0);
  const appended = () => numberOf('SELECT max(seq) AS n FROM outbox');
  const marked = () => numberOf('SELECT upper(published) - 1 AS n FROM outbox_position ORDER BY since DESC LIMIT 1');
  const loseStore = async () => {
    await broker.restart((storeDir) => rm(storeDir, { recursive: true }));
    await broker.provision();
  };
  /** Ids in the stream, in its order. */
  const stored = async (): Promise<(string | undefined)[]> => {
    const connection = await broker.user('provisioner');
    const manager = await jetstreamManager(connection);
    const { state } = await manager.streams.info('EVENTS');
    const ids: (string | undefined)[] = [];
    for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq += 1) {
      ids.push((await manager.streams.getMessage('EVENTS', { seq }))?.header.get('Nats-Msg-Id'));
    }
    await connection.close();
    return ids;
  };

  it('is filled again, in order and without a new event, after its store was deleted', async () => {
    start();
    const ids = await publish(30);
    await loseStore();
    await until(async () => (await stored()).length >= 30, 'the events are back', 20_000);
    expect(await stored()).toEqual(ids);
    const more = await publish(2);
    expect(await stored()).toEqual([...ids, ...more]);
    expect(sent).toEqual([...ids, ...ids, ...more]);
  }, 60_000);

  it('is filled again by a relay that did not run when it was lost', async () => {
    start();
    const ids = await publish(5);
    await relay?.stop();
    await loseStore();
    start();
    await until(async () => (await stored()).length >= 5, 'the events are back', 20_000);
    expect(await stored()).toEqual(ids);
  }, 60_000);

  it('is filled from before events whose numbers others have taken that were on their way', async () => {
    start();
    const first = await publish(2);
    // As if they had been published a minute ago.
    await store.admin("UPDATE outbox_position SET since = since - interval '1 minute'");
    const then = await publish(5);
    await relay?.stop();
    const [mark] = await store.admin<{ subject: string }>(
      'SELECT stream_subject AS subject FROM outbox_position ORDER BY since LIMIT 1',
    );
    await loseStore();
    // What the client of the relay still had to send when the store was gone.
    const client = await broker.user('custom-objects');
    for (let index = 0; index < 4; index += 1) {
      await jetstream(client).publish(mark?.subject ?? '', '{}', { msgID: `late ${index}` });
    }
    start();
    await until(async () => (await stored()).length >= 4 + 7, 'the events are back', 20_000);
    expect((await stored()).slice(4)).toEqual([...first, ...then]);
  }, 60_000);

  it('is filled again when what was on its way has taken the number of its last event, so that it looks whole', async () => {
    start();
    const ids = await publish(2);
    await relay?.stop();
    const waiting = await append(4);
    const [mark] = await store.admin<{ subject: string }>(
      'SELECT stream_subject AS subject FROM outbox_position ORDER BY since DESC LIMIT 1',
    );
    await loseStore();
    const client = await broker.user('custom-objects');
    for (const id of waiting) await jetstream(client).publish(mark?.subject ?? '', '{}', { msgID: id });
    start();
    await until(async () => (await stored()).length >= 6, 'the events are back', 20_000);
    expect((await stored()).slice(4)).toEqual(ids);
  }, 60_000);

  it('is filled again once, also where what was on its way comes in a later batch than what was lost', async () => {
    start();
    const ids = await publish(8);
    await relay?.stop();
    const waiting = await append(4);
    const [mark] = await store.admin<{ subject: string }>(
      'SELECT stream_subject AS subject FROM outbox_position ORDER BY since DESC LIMIT 1',
    );
    await loseStore();
    const client = await broker.user('custom-objects');
    for (const id of waiting) await jetstream(client).publish(mark?.subject ?? '', '{}', { msgID: id });
    sent = [];
    start(60_000, 4);
    await until(async () => (await stored()).length >= 12, 'the events are back', 20_000);
    const [later] = await publish(1);
    expect((await stored()).slice(4)).toEqual([...ids, later]);
    // Which is recognised by its id for two minutes, whatever is published behind it.
    await delay(1_000);
    for (const id of waiting) expect(sent.filter((each) => each === id).length).toBeLessThanOrEqual(2);
  }, 60_000);

  it('gets what it lacks, and little more, when it was restored from an older copy, also if others have published since', async () => {
    start();
    const early = await publish(10);
    // As if they had been published a minute ago.
    await store.admin("UPDATE outbox_position SET since = since - interval '1 minute'");
    const recent = await publish(400);
    const before = [...early, ...recent];
    let copy = '';
    await broker.restart(async (storeDir) => {
      copy = `${storeDir}-copy`;
      await cp(storeDir, copy, { recursive: true });
    });
    const after = await publish(20);
    expect(await stored()).toEqual([...before, ...after]);
    await relay?.stop();
    await broker.restart(async (storeDir) => {
      await rm(storeDir, { recursive: true });
      await cp(copy, storeDir, { recursive: true });
    });
    // The stream is soon longer than it was.
    const other = await broker.user('identity');
    for (let index = 0; index < 40; index += 1) {
      await jetstream(other).publish('events.user.created.1', '{}', { msgID: `other ${index}` });
    }
    sent = [];
    start();
    await until(async () => (await stored()).length >= 470, 'the events are back', 20_000);
    expect((await stored()).filter((id) => !id?.startsWith('other'))).toEqual([...before, ...after]);
    // It begins behind a mark: the one before `recent`, or a later one where publishing it took longer than a mark lasts.
    expect(sent).toEqual([...recent, ...after].slice(-sent.length));
    expect(sent.length).toBeGreaterThanOrEqual(after.length);
  }, 60_000);

  it('is noticed while the connection lasts, by an outbox that nothing writes', async () => {
    start(200);
    const ids = await publish(3);
    const connection = await broker.user('provisioner');
    await (await jetstreamManager(connection)).streams.delete('EVENTS');
    await broker.provision();
    await until(async () => (await stored()).length >= 3, 'the events are back', 20_000);
    expect(await stored()).toEqual(ids);
  }, 60_000);
});

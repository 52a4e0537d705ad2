import { cp, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { EVENTS } from '@crm/contracts';
import { appendEvent, newId } from '@crm/database';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { jetstream } from '@nats-io/jetstream';
import { type NatsConnection, OutboxRelay } from '../src/index.js';
import { type Broker, startBroker, startDatabase, type TestDatabase, until, withMethods } from './fixture.js';

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
    const watched = withMethods(nats, { publish });
    relay = new OutboxRelay(store.database, watched, { pollMs: 50, standbyMs: 30, retryMs: 50, lookMs, batchSize });
    relay.start();
  };
  const append = (count: number) =>
    store.database.transaction(tenant, async (tx) => {
      const ids: string[] = [];
      for (let index = 0; index < count; index += 1) {
        ids.push(
          await appendEvent(tx, EVENTS['lead.created'], { subject: `s${index}`, data: { record: {} as never } }),
        );
      }
      return ids;
    });
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
  /** What the client of the relay still had to send when the store was gone. */
  const sendLate = async (ids: readonly string[], marks: 'oldest' | 'newest') => {
    const order = marks === 'oldest' ? 'ASC' : 'DESC';
    const [mark] = await store.admin<{ subject: string }>(
      `SELECT stream_subject AS subject FROM outbox_position ORDER BY since ${order} LIMIT 1`,
    );
    await loseStore();
    await sendTo(mark?.subject ?? '', ids, 'custom-objects');
  };
  const sendTo = async (subject: string, ids: readonly string[], user: 'custom-objects' | 'identity') => {
    const client = jetstream(await broker.user(user));
    for (const id of ids) await client.publish(subject, '{}', { msgID: id });
  };
  const stored = () => broker.stored();
  /** Waits until the stream has so many events. @returns their ids, in its order */
  const refilled = async (count: number) => {
    await until(async () => (await stored()).length >= count, 'the events are back', 20_000);
    return stored();
  };

  it('is filled again, in order and without a new event, after its store was deleted', async () => {
    start();
    const ids = await publish(30);
    await loseStore();
    expect(await refilled(30)).toEqual(ids);
    const more = await publish(2);
    expect(await stored()).toEqual([...ids, ...more]);
    expect(sent).toEqual([...ids, ...ids, ...more]);
  }, 60_000);

  it('is filled by a relay that did not run when it was lost, from before events whose numbers others have taken', async () => {
    start();
    const first = await publish(2);
    // They could have been published a minute ago.
    await store.admin("UPDATE outbox_position SET since = since - interval '1 minute'");
    const then = await publish(5);
    await relay?.stop();
    const late = [1, 2, 3, 4].map((number) => `late ${number}`);
    await sendLate(late, 'oldest');
    start();
    expect(await refilled(4 + 7)).toEqual([...late, ...first, ...then]);
  }, 60_000);

  it.each([
    ['has taken the number of its last event, so that it looks whole', 2, 256] as const,
    ...(process.env.ALL ? [['comes in a later batch than what was lost', 8, 4] as const] : []),
  ])(
    'is filled again once when what was on its way %s',
    async (_what, count, batchSize) => {
      start();
      const ids = await publish(count);
      await relay?.stop();
      const waiting = await append(4);
      await sendLate(waiting, 'newest');
      sent = [];
      start(60_000, batchSize);
      expect(await refilled(4 + count)).toEqual([...waiting, ...ids]);
      const [later] = await publish(1);
      expect(await stored()).toEqual([...waiting, ...ids, later]);
      // What waited is recognised by its id for two minutes, whatever is published behind it.
      await delay(1_000);
      for (const id of waiting) expect(sent.filter((each) => each === id).length).toBeLessThanOrEqual(2);
    },
    60_000,
  );

  it('gets what it lacks, and little more, when it was restored from an older copy, also if others have published since', async () => {
    start();
    const early = await publish(10);
    // They could have been published a minute ago.
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
    const others = Array.from({ length: 40 }, (_, index) => `other ${index}`);
    await sendTo('events.user.created.1', others, 'identity');
    sent = [];
    start();
    const ids = (await refilled(470)).filter((id) => !id?.startsWith('other'));
    expect(ids).toEqual([...before, ...after]);
    // It begins behind a mark: the one before `recent`, or a later one where publishing it took longer than a mark lasts.
    expect(sent).toEqual([...recent, ...after].slice(-sent.length));
    expect(sent.length).toBeGreaterThanOrEqual(after.length);
  }, 60_000);

  it('is noticed while the connection lasts, by an outbox that nothing writes', async () => {
    start(200);
    const ids = await publish(3);
    await (await broker.manager()).streams.delete('EVENTS');
    await broker.provision();
    expect(await refilled(3)).toEqual(ids);
  }, 60_000);
});

import { CONSUMERS, type ConsumerDefinition, type EventEnvelope, PlatformError, TENANT_HEADER } from '@crm/contracts';
import { listDeadLetters, lockDeadLetter, NO_TENANT, newId, type TenantTransaction } from '@crm/database';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type JetStreamManager, jetstream } from '@nats-io/jetstream';
import { type NatsConnection as Connection, headers } from '@nats-io/nats-core';
import { OrderedSlots } from '../src/events/ordered-slots.js';
import { ConsumerProgress, EventConsumer, type NatsConnection } from '../src/index.js';
import {
  type Broker,
  gate,
  leadCreated,
  publishLead,
  startBroker,
  startDatabase,
  succeeds,
  type TestDatabase,
  until,
} from './fixture.js';

const DEFINITION: ConsumerDefinition = { ...CONSUMERS['webhook-dispatcher'], maxDeliveries: 3 };
/** Says whether the effect of a handler is in the transaction that records the event as handled. */
type Kind = 'transactional' | 'idempotent';
const KINDS: readonly Kind[] = ['transactional', 'idempotent'];

describe('an event consumer', () => {
  let broker: Broker;
  let store: TestDatabase;
  let nats: NatsConnection;
  let customObjects: Connection;
  let manager: JetStreamManager;
  let consumers: EventConsumer[] = [];
  /** Idempotent handlers get these counts. */
  let deliveryCounts: number[] = [];
  let putOff: boolean[] = [];
  const tenant = newId();

  beforeAll(async () => {
    [broker, store] = await Promise.all([startBroker(), startDatabase()]);
    nats = await broker.service('webhook-dispatcher');
    customObjects = await broker.user('custom-objects');
  });
  beforeEach(async () => {
    deliveryCounts = [];
    putOff = [];
    manager = await broker.manager();
    await store.admin('TRUNCATE inbox, dead_letter, effect');
    await manager.streams.purge('EVENTS');
  });
  afterEach(async () => {
    await Promise.all(consumers.map((consumer) => consumer.stop()));
    consumers = [];
  });
  afterAll(async () => {
    await broker.stop();
    await store.drop();
  });

  const envelope = (subject = newId()) => leadCreated(tenant, { subject });
  const publish = async (event: EventEnvelope) => {
    await publishLead(customObjects, event);
    return event;
  };
  const publishRaw = async (body: string | Uint8Array, tenantId?: string) => {
    const eventHeaders = headers();
    if (tenantId) eventHeaders.set(TENANT_HEADER, tenantId);
    await jetstream(customObjects).publish('events.lead.created.0', body, { headers: eventHeaders });
  };
  const effect = (event: EventEnvelope, tx: TenantTransaction) =>
    tx
      .query('INSERT INTO effect (tenant_id, id, event) VALUES ($1, $2, $3)', [tx.tenantId, newId(), event.id])
      .then(() => undefined);
  const start = (
    options: { kind?: Kind; concurrency?: number; definition?: ConsumerDefinition; connection?: NatsConnection } = {},
    handler: (event: EventEnvelope, tx: TenantTransaction) => Promise<void> = effect,
  ) => {
    const { kind, concurrency, definition = DEFINITION, connection = nats } = options;
    const consumer = new EventConsumer(definition, connection, store.database, {
      concurrency,
      redeliveryDelaysMs: [10, 20],
    });
    if (kind === 'idempotent') {
      consumer.onIdempotent(['lead.created'], async (event, { deliveryCount, shouldPutOff }) => {
        deliveryCounts.push(deliveryCount);
        putOff.push(shouldPutOff);
        await store.database.transaction(tenant, (tx) => handler(event, tx));
      });
    } else consumer.on(['lead.created'], handler);
    consumer.start();
    consumers.push(consumer);
    return consumer;
  };
  const effects = async () =>
    (await store.admin<{ event: string }>('SELECT event FROM effect')).map(({ event }) => event);
  const deadLetters = () => store.database.crossTenant((tx) => listDeadLetters(tx, DEFINITION.durable));
  const settled = () => broker.settled(DEFINITION);
  const inbox = () => store.admin('SELECT event_id FROM inbox');

  it('has one effect for an event that is delivered twice, also when two processes get it at the same time', async () => {
    const events = Array.from({ length: 30 }, () => envelope());
    for (const event of events) {
      await publish(event);
      await publish(event);
    }
    start();
    start();
    await until(async () => (await effects()).length >= 30, 'all are handled');
    await settled();
    expect((await effects()).sort()).toEqual(events.map((event) => event.id).sort());
  });

  it.each(KINDS)(
    'delivers an event again after an error, without partial effects, to a handler that is %s',
    async (kind) => {
      let tries = 0;
      start({ kind }, async (event, tx) => {
        await effect(event, tx);
        tries += 1;
        if (tries < 3) throw new Error('not yet');
      });
      const event = await publish(envelope());
      await until(async () => (await effects()).length > 0, 'it is handled at last');
      expect(tries).toBe(3);
      expect(await effects()).toEqual([event.id]);
      expect(await deadLetters()).toEqual([]);
    },
  );

  it.each<[Kind, number[], number]>([
    ['transactional', [], 2],
    // The count of a replay is 0: it is no delivery of the broker.
    ['idempotent', [1, 1, 2, 3, 0, 0], 0],
  ])(
    'stores an event that fails permanently, handles others meanwhile and replays it once: %s handlers',
    async (kind, counts, inboxRows) => {
      const bad = envelope();
      let isBroken = true;
      const consumer = start({ kind }, async (event, tx) => {
        if (event.id === bad.id && isBroken) throw new Error('indigestible');
        await effect(event, tx);
      });
      const good = await publish(envelope());
      await publish(bad);
      await until(async () => (await deadLetters()).length === 1, 'it is stored');
      await settled();
      const [stored] = await deadLetters();
      expect(stored).toMatchObject({ tenantId: tenant, eventId: bad.id, deliveries: 3, consumer: DEFINITION.durable });
      expect(stored?.error).toContain('indigestible');
      const id = stored?.id as string;
      const whole = await store.database.transaction(tenant, (tx) => lockDeadLetter(tx, id));
      expect(JSON.parse(whole?.payload.toString() ?? '')).toEqual(bad);
      expect(await effects()).toEqual([good.id]);
      await expect(consumer.replay(tenant, id)).rejects.toThrow('indigestible');
      expect(await deadLetters()).toHaveLength(1);
      isBroken = false;
      expect(await consumer.replay(newId(), id)).toBe(false);
      expect(await consumer.replay(tenant, id)).toBe(true);
      expect(await consumer.replay(tenant, id)).toBe(false);
      expect(await effects()).toEqual([good.id, bad.id]);
      expect(await deadLetters()).toEqual([]);
      expect(deliveryCounts).toEqual(counts);
      expect(await inbox()).toHaveLength(inboxRows);
    },
  );

  describe('whose handler fails', () => {
    const failing = (sqlState: string) => (tx: TenantTransaction) =>
      tx.query(`DO $$ BEGIN RAISE EXCEPTION 'told by a test' USING ERRCODE = '${sqlState}'; END $$`);
    const slow = async (tx: TenantTransaction) => {
      await tx.query("SELECT set_config('statement_timeout', '20', true)");
      await tx.query('SELECT pg_sleep(10)');
    };

    it.each([
      ['took too long', slow],
      ['took too much memory', failing('53200')],
      ['took too much temporary disk', failing('53400')],
    ])('stores the event after the same number of tries as after any other error: it %s', async (_name, fail) => {
      start({}, async (_event, tx) => {
        await fail(tx);
      });
      const event = await publish(envelope());
      await until(async () => (await deadLetters()).length === 1, 'it is stored');
      await settled();
      expect(await deadLetters()).toMatchObject([{ eventId: event.id, deliveries: DEFINITION.maxDeliveries }]);
    });

    it.each([
      ['another service was away', () => Promise.reject(new PlatformError('SERVICE_UNAVAILABLE'))],
      ['the disk was full', failing('53100')],
      ['it was part of a deadlock', failing('40P01')],
      [
        'the connection was lost',
        async (tx: TenantTransaction) => {
          const [row] = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
          await store.admin('SELECT pg_terminate_backend($1)', [row?.pid]);
          await tx.query('SELECT pg_sleep(1)');
        },
      ],
    ])('waits when waiting may help: %s', async (_name, fail) => {
      let tries = 0;
      start({}, async (event, tx) => {
        tries += 1;
        if (tries <= DEFINITION.maxDeliveries * 2) await fail(tx);
        await effect(event, tx);
      });
      const event = await publish(envelope());
      await until(async () => (await effects()).length === 1, 'it is handled at last');
      expect(await effects()).toEqual([event.id]);
      expect(await deadLetters()).toEqual([]);
    });
  });

  describe('that receives an event again and again', () => {
    const IMPATIENT: ConsumerDefinition = { ...DEFINITION, maxDeliveries: 1 };
    /** The first delivery of which is one too many. */
    const LAST_TRY = 21;

    it.each(KINDS)('attempts it once more, and keeps no dead letter if a handler succeeds that is %s', async (kind) => {
      let tries = 0;
      start({ kind, definition: IMPATIENT }, async (event, tx) => {
        tries += 1;
        if (tries < LAST_TRY) throw new PlatformError('SERVICE_UNAVAILABLE');
        expect(await deadLetters()).toHaveLength(1);
        await effect(event, tx);
      });
      const event = await publish(envelope());
      await until(async () => (await effects()).length === 1, 'it is handled at last');
      await settled();
      expect(await effects()).toEqual([event.id]);
      expect(tries).toBe(LAST_TRY);
      expect(await deadLetters()).toEqual([]);
    });

    it('stores it with the error of the last attempt', async () => {
      let tries = 0;
      start({ definition: IMPATIENT }, async () => {
        tries += 1;
        throw new PlatformError('SERVICE_UNAVAILABLE', `away at try ${tries}`);
      });
      const event = await publish(envelope());
      const error = async () => (await deadLetters())[0]?.error ?? '';
      await until(async () => (await error()).includes(`away at try ${LAST_TRY}`), 'it is stored');
      await settled();
      expect(tries).toBe(LAST_TRY);
      expect(await deadLetters()).toMatchObject([{ eventId: event.id, deliveries: LAST_TRY }]);
    });

    it('does not attempt it again if the process of the last attempt ended', async () => {
      await manager.consumers.update('EVENTS', DEFINITION.durable, { ack_wait: 600_000_000 });
      const connection = await broker.service('webhook-dispatcher');
      let tries = 0;
      const held = gate();
      start({ definition: IMPATIENT, connection }, async () => {
        tries += 1;
        if (tries < LAST_TRY) throw new PlatformError('SERVICE_UNAVAILABLE');
        await held.passed;
        throw new Error('ended');
      });
      const event = await publish(envelope());
      await until(() => tries === LAST_TRY, 'the last try is made');
      // From here on the process is dead for the broker, which delivers the event to another one.
      await connection.close();
      start({ definition: IMPATIENT });
      await settled();
      expect(await effects()).toEqual([]);
      expect(await deadLetters()).toMatchObject([
        { eventId: event.id, error: expect.stringContaining('without an outcome') },
      ]);
      held.open();
      await broker.provision();
    });
  });

  it.each([
    ['not JSON', '{broken', undefined, NO_TENANT],
    ['not an event', '{"a":1}', undefined, NO_TENANT],
    ['not UTF-8', new Uint8Array([0xff, 0xfe]), undefined, NO_TENANT],
    ['a deleted body', '', undefined, NO_TENANT],
    ['not an event, of a named tenant', '{"a":1}', newId(), undefined],
    ['not an event, of an invalid tenant', '{"a":1}', 'x', NO_TENANT],
  ])('stores an invalid message at once: %s', async (_name, body, headerTenant, expected) => {
    start();
    await publishRaw(body, headerTenant);
    await until(async () => (await deadLetters()).length === 1, 'it is stored');
    await settled();
    expect((await deadLetters())[0]).toMatchObject({
      tenantId: expected ?? headerTenant,
      eventId: null,
      deliveries: 1,
    });
  });

  it.each([
    ['of another tenant', newId(), undefined],
    ['of nobody', 'x', NO_TENANT],
  ])('neither handles nor replays an event that comes as a message %s', async (_name, headerTenant, expected) => {
    const consumer = start();
    await publishRaw(JSON.stringify(envelope()), headerTenant);
    await until(async () => (await deadLetters()).length === 1, 'it is stored');
    const [stored] = await deadLetters();
    const owner = expected ?? headerTenant;
    expect(stored).toMatchObject({ tenantId: owner, eventId: null });
    await expect(consumer.replay(owner, stored?.id as string)).rejects.toThrow('different tenants');
    expect(await effects()).toEqual([]);
    expect(await deadLetters()).toMatchObject([{ id: stored?.id }]);
    // Nothing notes it as handled: the tenant that it is of gets it when it comes with the right header.
    expect(await inbox()).toEqual([]);
  });

  it('acknowledges an event without a handler', async () => {
    start();
    await publish({ ...envelope(), type: 'lead.deleted' });
    await publish({ ...envelope(), type: 'never.heard' });
    await settled();
    expect(await effects()).toEqual([]);
    expect(await deadLetters()).toEqual([]);
  });

  it('limits the number of events it handles concurrently', async () => {
    let now = 0;
    let most = 0;
    // One tenant has at most half of them.
    start({ concurrency: 8 }, async (event, tx) => {
      now += 1;
      most = Math.max(most, now);
      await tx.query('SELECT pg_sleep(0.02)');
      await effect(event, tx);
      now -= 1;
    });
    for (let index = 0; index < 24; index += 1) await publish(envelope());
    await until(async () => (await effects()).length === 24, 'all are handled');
    expect(most).toBe(4);
  });

  it('handles the events of one record in order', async () => {
    const order: string[] = [];
    start({}, async (event, tx) => {
      // The first takes longest: without an order the others would overtake it.
      await tx.query('SELECT pg_sleep($1)', [order.length === 0 ? 0.05 : 0]);
      order.push(event.id);
    });
    const record = newId();
    const events: string[] = [];
    for (let index = 0; index < 8; index += 1) events.push((await publish(envelope(record))).id);
    await until(() => order.length === 8, 'all are handled');
    expect(order).toEqual(events);
  });

  it('keeps a message that takes longer than the ack timeout', async () => {
    await manager.consumers.update('EVENTS', DEFINITION.durable, { ack_wait: 600_000_000 });
    let calls = 0;
    start({ definition: { ...DEFINITION, ackWaitMs: 600 } }, async (event, tx) => {
      calls += 1;
      await tx.query('SELECT pg_sleep(1.6)');
      await effect(event, tx);
    });
    await publish(envelope());
    await until(async () => (await effects()).length === 1, 'it is handled');
    await settled();
    expect(calls).toBe(1);
    await broker.provision();
  });

  it.each(KINDS)('finishes what it has when it stops, and leaves the rest to other processes: %s', async (kind) => {
    let started = 0;
    const held = gate();
    const accepted = jest.spyOn(OrderedSlots.prototype, 'add');
    const consumer = start({ kind, concurrency: 4 }, async (event, tx) => {
      started += 1;
      await held.passed;
      await effect(event, tx);
    });
    for (let index = 0; index < 4; index += 1) await publish(envelope());
    await until(() => started === 2 && accepted.mock.calls.length === 4, 'two are worked on, and two wait');
    const stopped = consumer.stop();
    held.open();
    await stopped;
    accepted.mockRestore();
    expect(await effects()).toHaveLength(4);
    // Idempotent handlers are told to put off what they can.
    expect(putOff).toEqual(kind === 'idempotent' ? [false, false, true, true] : []);
    const later = await publish(envelope());
    start({ kind });
    await until(async () => (await effects()).includes(later.id), 'the next process handles the later one');
  });

  it('continues after its consumer was deleted and created again', async () => {
    start();
    await manager.consumers.delete('EVENTS', DEFINITION.durable);
    await broker.provision();
    const event = await publish(envelope());
    await until(async () => (await effects()).includes(event.id), 'the event is handled', 20_000);
  }, 60_000);

  it('continues after the broker was killed and restarted', async () => {
    start();
    const first = await publish(envelope());
    await until(async () => (await effects()).includes(first.id), 'the first event is handled');
    await broker.restart();
    await until(() => succeeds(customObjects.flush()), 'the producer is connected again', 20_000);
    const second = await publish(envelope());
    await until(async () => (await effects()).includes(second.id), 'the second event is handled', 30_000);
  }, 60_000);

  describe('with idempotent handlers', () => {
    it('hands on every copy of an event, and notes nothing as handled', async () => {
      const event = await publish(envelope());
      await publish(event);
      start({ kind: 'idempotent' });
      await until(async () => (await effects()).length === 2, 'both copies are handled');
      await settled();
      expect(await effects()).toEqual([event.id, event.id]);
      expect(await inbox()).toEqual([]);
    });

    it('hands on the events of one record at the same time', async () => {
      const record = newId();
      const started: string[] = [];
      const held = gate();
      const handler = async ({ id }: EventEnvelope) => {
        started.push(id);
        await held.passed;
      };
      start({ kind: 'idempotent' }, handler);
      const events = [await publish(envelope(record)), await publish(envelope(record))];
      await until(() => started.length === 2, 'the second begins while the first is under way');
      held.open();
      await settled();
      expect(started.sort()).toEqual(events.map(({ id }) => id).sort());
    });

    it.each<[Kind, Kind]>([
      ['idempotent', 'transactional'],
      ['transactional', 'idempotent'],
    ])('has no others: %s first, then %s', (first, second) => {
      const consumer = new EventConsumer(DEFINITION, nats, store.database);
      const add = {
        idempotent: () => consumer.onIdempotent('all', async () => undefined),
        transactional: () => consumer.on('all', async () => undefined),
      };
      add[first]();
      expect(add[second]).toThrow('either all idempotent or none of them is');
      expect(add[first]).not.toThrow();
    });

    it('is known to have acknowledged what comes before the first event that is not, whatever follows it', async () => {
      const upTo = () => new ConsumerProgress(nats).acknowledged(DEFINITION).then(({ upTo }) => upTo);
      const held = gate();
      const sequences: number[] = [];
      const events = [1, 2, 3].map(() => envelope());
      for (const event of events) sequences.push(await publishLead(customObjects, event));
      const handler = ({ id }: EventEnvelope) => (id === events[1]?.id ? held.passed : Promise.resolve());
      start({ kind: 'idempotent' }, handler);
      const pending = async () => (await manager.consumers.info('EVENTS', DEFINITION.durable)).num_ack_pending;
      try {
        await until(async () => deliveryCounts.length === 3 && (await pending()) === 1, 'the others are acknowledged');
        expect(await upTo()).toBe(sequences[0]);
        held.open();
        await until(async () => (await upTo()) === sequences[2], 'all are acknowledged');
      } finally {
        held.open();
      }
      await manager.consumers.delete('EVENTS', DEFINITION.durable);
      await expect(upTo()).rejects.toThrow('consumer not found');
      await broker.provision();
      expect(await upTo()).toBe(0);
    });
  });
});

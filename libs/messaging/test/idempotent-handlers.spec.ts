import { CONSUMERS, type ConsumerDefinition, type EventEnvelope, PlatformError } from '@crm/contracts';
import { DatabaseModule, listDeadLetters, newId } from '@crm/database';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection as Connection } from '@nats-io/nats-core';
import { Controller, type DynamicModule, type Type } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  ConsumerProgress,
  EventConsumer,
  EventHandler,
  EventReceipt,
  IdempotentEventHandler,
  type IdempotentMethod,
  MessagingModule,
  type NatsConnection,
} from '../src/index.js';
import {
  type Broker,
  createApp,
  gate,
  guards,
  leadCreated,
  PASSWORD,
  publishLead,
  startBroker,
  startDatabase,
  type TestDatabase,
  until,
} from './fixture.js';

const DEFINITION: ConsumerDefinition = { ...CONSUMERS['webhook-dispatcher'], maxDeliveries: 3 };

describe('idempotent handlers', () => {
  let broker: Broker;
  let store: TestDatabase;
  let nats: NatsConnection;
  let producer: Connection;
  let consumers: EventConsumer[] = [];
  const tenant = newId();

  beforeAll(async () => {
    [broker, store] = await Promise.all([startBroker(), startDatabase()]);
    nats = await broker.service('webhook-dispatcher');
    producer = await broker.user('custom-objects');
  });
  beforeEach(async () => {
    await store.admin('TRUNCATE inbox, dead_letter');
    const manager = await jetstreamManager(await broker.user('provisioner'));
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

  const publish = async (subject = newId()): Promise<EventEnvelope> => {
    const event = leadCreated(tenant, { subject });
    await publishLead(producer, event);
    return event;
  };
  const start = (method: IdempotentMethod, definition = DEFINITION) => {
    const consumer = new EventConsumer(definition, nats, store.database, { redeliveryDelaysMs: [10, 20] });
    consumer.onIdempotent(['lead.created'], method);
    consumer.start();
    consumers.push(consumer);
    return consumer;
  };
  const settled = () => broker.settled(DEFINITION);
  const deadLetters = () => store.database.crossTenant((tx) => listDeadLetters(tx, DEFINITION.durable));
  const inboxRows = () => store.admin('SELECT event_id FROM inbox');

  it('get an event again after they have rejected, and are told how often it came', async () => {
    const counts: number[] = [];
    start(async (_event, { deliveryCount }) => {
      counts.push(deliveryCount);
      if (counts.length < 3) throw new Error('not yet');
    });
    await publish();
    await until(() => counts.length === 3, 'it comes for the third time');
    await settled();
    expect(counts).toEqual([1, 2, 3]);
    expect(await deadLetters()).toEqual([]);
  });

  it('get every copy of an event: nothing is noted as handled', async () => {
    const handled: string[] = [];
    const event = await publish();
    await publishLead(producer, event);
    start(async ({ id }) => {
      handled.push(id);
    });
    await until(() => handled.length === 2, 'both copies are handled');
    await settled();
    expect(handled).toEqual([event.id, event.id]);
    expect(await inboxRows()).toEqual([]);
  });

  it('get the events of one record at the same time', async () => {
    const record = newId();
    const started: string[] = [];
    const held = gate();
    start(async ({ id }) => {
      started.push(id);
      await held.passed;
    });
    const events = [await publish(record), await publish(record)];
    await until(() => started.length === 2, 'the second begins while the first is under way');
    held.open();
    await settled();
    expect(started.sort()).toEqual(events.map(({ id }) => id).sort());
  });

  it('leave a dead letter after the limit, which is replayed once they succeed', async () => {
    let broken = true;
    const counts: number[] = [];
    const consumer = start(async (_event, { deliveryCount }) => {
      counts.push(deliveryCount);
      if (broken) throw new Error('indigestible');
    });
    const event = await publish();
    await until(async () => (await deadLetters()).length === 1, 'it is stored');
    await settled();
    const [stored] = await deadLetters();
    expect(stored).toMatchObject({ tenantId: tenant, eventId: event.id, deliveries: 3 });
    expect(stored?.error).toContain('indigestible');
    const id = stored?.id as string;
    await expect(consumer.replay(tenant, id)).rejects.toThrow('indigestible');
    expect(await deadLetters()).toHaveLength(1);
    broken = false;
    expect(await consumer.replay(newId(), id)).toBe(false);
    expect(await consumer.replay(tenant, id)).toBe(true);
    expect(await consumer.replay(tenant, id)).toBe(false);
    // The count of a replay is 0: it is no delivery of the broker.
    expect(counts).toEqual([1, 2, 3, 0, 0]);
    expect(await deadLetters()).toEqual([]);
    expect(await inboxRows()).toEqual([]);
  });

  it('get one more try after waiting long, whose success ends the dead letter that was stored before it', async () => {
    let tries = 0;
    start(
      async () => {
        tries += 1;
        if (tries < 21) throw new PlatformError('SERVICE_UNAVAILABLE');
        expect(await deadLetters()).toHaveLength(1);
      },
      { ...DEFINITION, maxDeliveries: 1 },
    );
    await publish();
    await until(async () => tries === 21 && (await deadLetters()).length === 0, 'it is handled at last');
    await settled();
    expect(tries).toBe(21);
  });

  it.each<['idempotent' | 'transactional', 'idempotent' | 'transactional']>([
    ['idempotent', 'transactional'],
    ['transactional', 'idempotent'],
  ])('do not share a consumer with others: %s first, then %s', (first, second) => {
    const consumer = new EventConsumer(DEFINITION, nats, store.database);
    const add = {
      idempotent: () => consumer.onIdempotent('all', async () => undefined),
      transactional: () => consumer.on('all', async () => undefined),
    };
    add[first]();
    expect(add[second]).toThrow('either all idempotent or none of them is');
    expect(add[first]).not.toThrow();
  });

  describe('acknowledge as far as is known', () => {
    const upTo = () => new ConsumerProgress(nats).acknowledgedUpTo(DEFINITION);

    it('ends before the first event that is not acknowledged, whatever follows it', async () => {
      const handled: (number | null)[] = [];
      const held = gate();
      const sequences: number[] = [];
      for (const event of [1, 2, 3].map(() => leadCreated(tenant))) sequences.push(await publishLead(producer, event));
      start(async (_event, { streamSequence }) => {
        if (streamSequence === sequences[1]) await held.passed;
        handled.push(streamSequence);
      });
      try {
        await until(() => handled.length === 2, 'the others are handled');
        expect(handled).toEqual([sequences[0], sequences[2]]);
        await until(async () => (await upTo()) === sequences[0], 'the first is acknowledged');
        // The third is acknowledged too, and does not count.
        const manager = await jetstreamManager(await broker.user('provisioner'));
        const pending = async () => (await manager.consumers.info('EVENTS', DEFINITION.durable)).num_ack_pending;
        await until(async () => (await pending()) === 1, 'the third is acknowledged');
        expect(await upTo()).toBe(sequences[0]);
        held.open();
        await until(async () => (await upTo()) === sequences[2], 'all are acknowledged');
      } finally {
        held.open();
      }
    });

    it('is known again when the consumer was deleted and made again', async () => {
      await upTo();
      const manager = await jetstreamManager(await broker.user('provisioner'));
      await manager.consumers.delete('EVENTS', DEFINITION.durable);
      await expect(upTo()).rejects.toThrow('consumer not found');
      await broker.provision();
      expect(await upTo()).toBe(0);
    });
  });

  describe('in a Nest application', () => {
    class AppModule {}

    const create = (controllers: Type[]) => {
      const config = { url: broker.url, user: 'webhook-dispatcher', password: PASSWORD, service: 'webhook-dispatcher' };
      const module: DynamicModule = {
        module: AppModule,
        imports: [
          DatabaseModule.forService({ config: store.database.config }),
          MessagingModule.forService({ config: { ...config, service: 'webhook-dispatcher' } }),
        ],
        controllers,
        providers: guards(),
      };
      return createApp(module);
    };

    it('are methods with @IdempotentEventHandler, which get the event and a receipt', async () => {
      const seen: { id: string; receipt: EventReceipt }[] = [];
      @Controller()
      class LeadConsumer {
        @IdempotentEventHandler(CONSUMERS['webhook-dispatcher'], 'lead.created')
        async onLead(@Payload() event: EventEnvelope, @Ctx() receipt: EventReceipt): Promise<void> {
          seen.push({ id: event.id, receipt });
          if (seen.length === 1) throw new Error('not yet');
        }
      }
      const app = await create([LeadConsumer]);
      await app.listen();
      const { id } = await publish();
      await until(() => seen.length === 2, 'it comes again after the error');
      await settled();
      const consumer = CONSUMERS['webhook-dispatcher'];
      const streamSequence = seen[0]?.receipt.streamSequence;
      expect(streamSequence).toBeGreaterThan(0);
      expect(seen).toEqual([
        { id, receipt: { deliveryCount: 1, streamSequence, consumer } },
        { id, receipt: { deliveryCount: 2, streamSequence, consumer } },
      ]);
      expect(seen[0]?.receipt).toBeInstanceOf(EventReceipt);
      expect(await inboxRows()).toEqual([]);
      await app.close();
    });

    it('keep the service from starting when another handler of their consumer is not idempotent', async () => {
      @Controller()
      class Mixed {
        @IdempotentEventHandler(CONSUMERS['webhook-dispatcher'], 'lead.created')
        async onCreated(): Promise<void> {
          throw new Error('never called');
        }

        @EventHandler(CONSUMERS['webhook-dispatcher'], 'lead.updated')
        async onUpdated(): Promise<void> {
          throw new Error('never called');
        }
      }
      const app = await create([Mixed]);
      await expect(app.listen()).rejects.toThrow('either all idempotent or none of them is');
      await app.close();
    });
  });
});

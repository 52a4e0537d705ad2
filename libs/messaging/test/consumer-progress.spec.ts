import { CONSUMERS, EVENTS, type EventEnvelope, eventSubject } from '@crm/contracts';
import { newId } from '@crm/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { ConsumerProgress, EventConsumer, type NatsConnection, provisionStreams } from '../src/index.js';
import { type Broker, PASSWORD, startBroker, startDatabase, type TestDatabase, until } from './fixture.js';

const DEFINITION = CONSUMERS['webhook-dispatcher'];

describe('the progress of a consumer', () => {
  let broker: Broker;
  let store: TestDatabase;
  let nats: NatsConnection;
  let progress: ConsumerProgress;
  beforeAll(async () => {
    [broker, store] = await Promise.all([startBroker(), startDatabase()]);
    nats = await broker.service('webhook-dispatcher');
    progress = new ConsumerProgress(nats);
  });
  afterAll(async () => {
    await broker.stop();
    await store.drop();
  });

  const publish = async () => {
    const tenantid = newId();
    const event: EventEnvelope = {
      specversion: '1.0',
      id: newId(),
      source: 'urn:crm:service:custom-objects',
      type: 'lead.created',
      subject: newId(),
      time: new Date().toISOString(),
      datacontenttype: 'application/json',
      dataschema: EVENTS['lead.created'].dataschema,
      tenantid,
      data: { record: {} },
    };
    const customObjects = jetstream(await broker.user('custom-objects'));
    const { seq } = await customObjects.publish(eventSubject('lead.created', tenantid), JSON.stringify(event));
    return seq;
  };
  const upTo = () => progress.acknowledgedUpTo(DEFINITION);

  it('ends before the first event that is not acknowledged, whatever follows it', async () => {
    const handled: (number | null)[] = [];
    let goOn: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const sequences = [await publish(), await publish(), await publish()];
    const consumer = new EventConsumer(DEFINITION, nats, store.database);
    consumer.onIdempotent('all', async (_event, { streamSequence }) => {
      if (streamSequence === sequences[1]) await released;
      handled.push(streamSequence);
    });
    consumer.start();
    try {
      await until(() => handled.length === 2, 'the others are handled');
      expect(handled).toEqual([sequences[0], sequences[2]]);
      await until(async () => (await upTo()) === sequences[0], 'the first is acknowledged');
      // The third is acknowledged too, and does not count.
      const manager = await jetstreamManager(await broker.user('provisioner'));
      const pending = async () => (await manager.consumers.info('EVENTS', DEFINITION.durable)).num_ack_pending;
      await until(async () => (await pending()) === 1, 'the third is acknowledged');
      expect(await upTo()).toBe(sequences[0]);
      goOn();
      await until(async () => (await upTo()) === sequences[2], 'all are acknowledged');
    } finally {
      goOn();
      await consumer.stop();
    }
  });

  it('is known again when the consumer was deleted and made again', async () => {
    await upTo();
    const manager = await jetstreamManager(await broker.user('provisioner'));
    await manager.consumers.delete('EVENTS', DEFINITION.durable);
    await expect(upTo()).rejects.toThrow('consumer not found');
    await provisionStreams({ url: broker.url, user: 'provisioner', password: PASSWORD }, { replicas: 1 });
    expect(await upTo()).toBe(0);
  });
});

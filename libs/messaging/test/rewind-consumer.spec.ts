import { setTimeout as delay } from 'node:timers/promises';
import { CONSUMERS, type EventEnvelope } from '@crm/contracts';
import { newId } from '@crm/database';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { register } from 'prom-client';
import { ConsumerAge } from '../src/events/consumer-upkeep.js';
import { EventConsumer, rewindConsumer } from '../src/index.js';
import {
  type Broker,
  leadCreated,
  PASSWORD,
  publishLead,
  startBroker,
  startDatabase,
  type TestDatabase,
  until,
} from './fixture.js';

const CONSUMER = CONSUMERS['webhook-dispatcher'];

describe('rewinding a consumer', () => {
  let broker: Broker;
  let store: TestDatabase;
  let consumer: EventConsumer | undefined;
  /** Ids of the events whose effect was written, each as often as it was. */
  let handled: string[] = [];
  let fails: (event: EventEnvelope) => boolean = () => false;
  const tenant = newId();

  beforeEach(async () => {
    [broker, store] = await Promise.all([startBroker(), startDatabase()]);
    handled = [];
    fails = () => false;
  });
  afterEach(async () => {
    await consumer?.stop();
    await broker.stop();
    await store.drop();
  });

  const start = async () => {
    consumer = new EventConsumer(CONSUMER, await broker.service('webhook-dispatcher'), store.database, {
      redeliveryDelaysMs: [50],
    });
    consumer.on('all', async (event) => {
      if (fails(event)) throw new Error('not now');
      handled.push(event.id);
    });
    consumer.start();
  };
  const publish = async () => {
    const event = leadCreated(tenant, { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' });
    await publishLead(await broker.user('custom-objects'), event, event.id);
    return event.id;
  };
  const provisioner = () => ({ url: broker.url, user: 'provisioner', password: PASSWORD });
  const acknowledgedAll = () => broker.settled(CONSUMER);

  it('has it handle again what its database has lost since, and nothing twice', async () => {
    await start();
    const kept = [await publish(), await publish()];
    // The clock of the server tells which event is before the time.
    await delay(20);
    const since = new Date();
    await delay(20);
    const [known, lost] = [await publish(), await publish()];
    await until(() => handled.length === 4, 'all are handled');
    await acknowledgedAll();
    await store.admin('DELETE FROM inbox WHERE event_id = $1', [lost]);
    expect(await rewindConsumer(provisioner(), CONSUMER, since)).toEqual({ since, pending: 2 });
    await until(() => handled.length === 5, 'it is handled again', 20_000);
    await acknowledgedAll();
    // The order of different records is not promised.
    expect(handled.toSorted()).toEqual([...kept, known, lost, lost].toSorted());
    // Provisioning leaves it where it is.
    await broker.provision();
    await acknowledgedAll();
    expect(handled).toHaveLength(5);
  }, 60_000);

  it('loses no event that is not acknowledged, however old', async () => {
    const stuck = await publish();
    fails = ({ id }) => id === stuck;
    await start();
    const other = await publish();
    await until(() => handled.includes(other), 'the other is handled');
    await delay(20);
    const { since, pending } = await rewindConsumer(provisioner(), CONSUMER, new Date());
    expect([since.getTime() < Date.now() - 20, pending]).toEqual([true, 2]);
    fails = () => false;
    await until(() => handled.includes(stuck), 'it is handled', 20_000);
    await acknowledgedAll();
    expect(handled).toEqual([other, stuck]);
  }, 60_000);

  it('is refused for a time in the future', async () => {
    const future = new Date(Date.now() + 60_000);
    await expect(rewindConsumer(provisioner(), CONSUMER, future)).rejects.toThrow('in the past');
  });

  it('is needed before half of the retention is used: how far behind the consumer is is measured, and what is stored', async () => {
    const valuesOf = async (name: string) => (await register.getSingleMetric(name)?.get())?.values ?? [];
    const measured = async (name: string) =>
      (await valuesOf(name)).find(({ labels }) => labels.consumer === CONSUMER.durable)?.value ?? Number.NaN;
    const ratio = async () => {
      const age = new ConsumerAge(await broker.service('webhook-dispatcher'), [CONSUMER.durable]);
      await age.sweep();
      return measured('consumer_retention_used_ratio');
    };
    expect(await ratio()).toBe(0);
    await publish();
    await publish();
    await delay(20);
    const used = await ratio();
    expect(used).toBeGreaterThan(20 / (7 * 86_400_000) / 2);
    expect(used).toBeLessThan(0.001);
    expect([await measured('consumer_pending_events'), await measured('consumer_lag_events')]).toEqual([2, 2]);
    expect(await measured('consumer_unacknowledged_events')).toBe(0);
    const { state } = await (await broker.manager()).streams.info('EVENTS');
    expect(state.bytes).toBeGreaterThan(0);
    expect(await valuesOf('event_stream_bytes')).toMatchObject([{ value: state.bytes }]);
    await start();
    await acknowledgedAll();
    expect(await ratio()).toBe(0);
    expect(await measured('consumer_lag_events')).toBe(0);
  });
});

import { EVENT_STREAM, rpc, TENANT_HEADER } from '@crm/contracts';
import { newId } from '@crm/database';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { JetStreamManager, StreamConfig } from '@nats-io/jetstream';
import type { Msg, MsgCallback, SubscriptionOptions } from '@nats-io/nats-core';
import type { NatsConnection } from '../src/index.js';
import { EventPublisher } from '../src/outbox/event-publisher.js';
import { type Broker, startBroker, withMethods } from './fixture.js';

const SUBJECT = 'events.lead.created.7';

describe('the publisher of events', () => {
  let broker: Broker;
  let nats: NatsConnection;
  let manager: JetStreamManager;
  let publishers: EventPublisher[] = [];
  const tenantId = newId();

  // The tests change and delete the stream.
  beforeEach(async () => {
    broker = await startBroker();
    nats = await broker.service('custom-objects');
    manager = await broker.manager();
  });
  afterEach(async () => {
    for (const publisher of publishers) publisher.close();
    publishers = [];
    await broker.stop();
  });

  const open = (connection = nats, ackTimeoutMs?: number) => {
    const publisher = new EventPublisher(connection, ackTimeoutMs);
    publishers.push(publisher);
    return {
      /** How many events are acknowledged up to the first that is not, and why it is not. */
      async publish(batch: Parameters<EventPublisher['publish']>[0]) {
        const outcomes = await publisher.publish(batch);
        const failedAt = outcomes.findIndex((outcome) => outcome instanceof Error);
        const failure = outcomes[failedAt] as Error | undefined;
        return { acknowledged: failure ? failedAt : outcomes.length, failure, outcomes };
      },
    };
  };
  const event = (envelope = '{}', subject = SUBJECT) => ({ id: newId(), tenantId, subject, envelope });
  const events = (count: number, size = 2) => Array.from({ length: count }, () => event('x'.repeat(size)));
  /** The connection, whose answers are delivered as the test says. */
  const receiving = (onAnswer: (deliver: () => void) => void) =>
    withMethods(nats, {
      subscribe: (subject: string, options: SubscriptionOptions = {}) => {
        const deliver = options.callback as MsgCallback<Msg>;
        const callback: typeof deliver = (error, message) => onAnswer(() => void deliver(error, message));
        return nats.connection.subscribe(subject, { ...options, callback });
      },
    });
  const configure = async (change: Partial<StreamConfig>) => {
    const { config } = await manager.streams.info(EVENT_STREAM.name);
    await manager.streams.update(EVENT_STREAM.name, { ...config, ...change });
  };
  const idsOf = (list: readonly { id: string }[]) => list.map(({ id }) => id);

  it('sends events in order, with their tenant, and reports that all are acknowledged', async () => {
    const publisher = open();
    const [first, second] = [events(300, 500), [event('{"name":"Müller"}')]];
    expect((await publisher.publish(first)).outcomes).toEqual(Array.from({ length: 300 }, (_, index) => index + 1));
    expect((await publisher.publish(second)).outcomes).toEqual([301]);
    expect(await broker.stored()).toEqual(idsOf([...first, ...second]));
    const last = await manager.streams.getMessage(EVENT_STREAM.name, { seq: 301 });
    expect(last?.header.get(TENANT_HEADER)).toBe(tenantId);
    expect(last?.string()).toBe('{"name":"Müller"}');
  });

  it('takes an event that the stream has already for acknowledged', async () => {
    const publisher = open();
    const batch = events(3);
    await publisher.publish(batch);
    expect((await publisher.publish([...batch, event()])).outcomes).toEqual([1, 2, 3, 4]);
    expect((await broker.stored()).slice(0, 3)).toEqual(idsOf(batch));
    expect(await broker.stored()).toHaveLength(4);
  });

  it.each<[string, Parameters<typeof event>, object]>([
    ['that the stream refuses', ['x'.repeat(5_000)], { name: 'JetStreamApiError', code: 10054 }],
    [
      'that is larger than the server takes',
      ['x'.repeat(1_100_000)],
      { message: expect.stringMatching('max_payload') },
    ],
    ['that the service may not publish', ['{}', 'events.app.installed.7'], { name: 'PermissionViolationError' }],
  ])('fails at once for an event %s, and sends the others', async (_what, refused, expected) => {
    await configure({ max_msg_size: 2_000 });
    const [before, after] = [event(), event()];
    const { acknowledged, failure } = await open(nats, 60_000).publish([before, event(...refused), after]);
    expect(acknowledged).toBe(1);
    expect(failure).toMatchObject(expected);
    expect(await broker.stored()).toEqual(idsOf([before, after]));
  });

  it('does not take the acknowledgement of another stream', async () => {
    await manager.streams.delete(EVENT_STREAM.name);
    await manager.streams.add({ name: 'OTHER', subjects: [...EVENT_STREAM.subjects] });
    const { acknowledged, failure } = await open().publish(events(3));
    expect([acknowledged, failure]).toMatchObject([0, { name: 'JetStreamApiError', code: 10060 }]);
  });

  it('does not take an answer that is no acknowledgement', async () => {
    const { subject } = rpc.identity.getTenant;
    const echo = await broker.user('identity');
    echo.subscribe(subject, { callback: (_error, message) => void message.respond(message.data) });
    await echo.flush();
    const asking = withMethods(nats, {
      publish: (_subject, payload, options) => nats.connection.publish(subject, payload, options),
    });
    const publisher = open(asking, 60_000);
    for (const answer of ['', 'yes', 'null', '{"seq":1}', '{"stream":"OTHER","seq":1}']) {
      const { acknowledged, failure } = await publisher.publish([event(answer)]);
      expect([answer, acknowledged, failure]).toEqual([answer, 0, expect.any(Error)]);
    }
    expect((await publisher.publish([event('{"stream":"EVENTS","seq":1}')])).acknowledged).toBe(1);
  });

  it('fails at once, without waiting for its time limit, when nobody takes the subject', async () => {
    await manager.streams.delete(EVENT_STREAM.name);
    const { acknowledged, failure } = await open(nats, 60_000).publish(events(3));
    expect([acknowledged, failure?.name]).toEqual([0, 'NoResponders']);
  });

  it('fails after its time limit without acknowledgements, and takes late ones for no other events', async () => {
    await configure({ no_ack: true });
    const publisher = open(nats, 100);
    const { acknowledged, failure } = await publisher.publish(events(3));
    expect([acknowledged, failure?.name]).toEqual([0, 'TimeoutError']);

    // An acknowledgement of the first batch comes while the second one waits.
    await configure({ no_ack: false });
    const held: (() => void)[] = [];
    const slow = open(
      receiving((deliver) => held.push(deliver)),
      100,
    );
    expect((await slow.publish(events(2))).acknowledged).toBe(0);
    expect(held).toHaveLength(2);
    const next = slow.publish(events(2));
    for (const release of held.splice(0)) release();
    expect((await next).acknowledged).toBe(0);
  });

  it('fails at once when the connection is lost in the middle of a batch, and loses and doubles nothing', async () => {
    let replies = 0;
    let isCut = false;
    const cutting = receiving((deliver) => {
      replies += 1;
      if (replies === 100) {
        broker.proxy.cut();
        isCut = true;
      }
      // Those that have arrived already are lost with the connection.
      if (!isCut || replies <= 100) deliver();
    });
    const publisher = open(cutting, 60_000);
    const batch = events(1_000, 1_000);
    const { acknowledged, failure } = await publisher.publish(batch);
    expect(failure?.name).toBe('ConnectionError');
    expect(acknowledged).toBeGreaterThanOrEqual(100);
    expect(acknowledged).toBeLessThan(1_000);
    const { state } = await manager.streams.info(EVENT_STREAM.name);
    expect(state.messages).toBeGreaterThanOrEqual(acknowledged);

    const reconnected = new Promise<void>((resolve) => {
      nats.onReconnect(resolve);
    });
    broker.proxy.mend();
    await reconnected;
    isCut = false;
    const rest = batch.slice(acknowledged);
    expect(await publisher.publish(rest)).toMatchObject({ acknowledged: rest.length, failure: undefined });
    expect(await broker.stored()).toEqual(idsOf(batch));
    // Less than the client takes to notice by its pings.
  }, 9_000);

  it('fails when its connection is closed', async () => {
    await nats.connection.close();
    const { acknowledged, failure } = await open().publish(events(2));
    expect([acknowledged, failure?.name]).toEqual([0, 'ClosedConnectionError']);
  });

  it('has nothing to do for no events', async () => {
    expect((await open().publish([])).outcomes).toEqual([]);
  });
});

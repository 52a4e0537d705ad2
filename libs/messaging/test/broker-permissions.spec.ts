import { rpc } from '@crm/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection as Connection } from '@nats-io/transport-node';
import { inboxPrefix, type NatsUser, provisionStreams } from '../src/index.js';
import { type Broker, PASSWORD, startBroker, until } from './fixture.js';

describe('the permissions of a service at the broker', () => {
  let broker: Broker;
  const connections = new Map<NatsUser, Connection>();
  const refusals = new Map<NatsUser, string[]>();

  const as = async (user: NatsUser): Promise<Connection> => {
    const connection = connections.get(user) ?? (await broker.user(user));
    if (connections.has(user)) return connection;
    connections.set(user, connection);
    const list: string[] = [];
    refusals.set(user, list);
    void (async () => {
      for await (const status of connection.status()) {
        if (status.type === 'error') list.push(status.error.message);
      }
    })();
    return connection;
  };

  const refusalsOf = (user: NatsUser, subject: string) =>
    (refusals.get(user) ?? []).filter((message) => message.includes(`"${subject}"`));
  const refused = (user: NatsUser, subject: string) =>
    until(() => refusalsOf(user, subject).length > 0, `${subject} is refused`);

  beforeAll(async () => {
    broker = await startBroker();
  });
  afterAll(() => broker.stop());

  it.each<[NatsUser, 'publish' | 'subscribe', string]>([
    ['custom-objects', 'publish', 'events.app.installed.7'],
    ['custom-objects', 'publish', 'rpc.identity.apiKeys.exchange'],
    ['gateway', 'publish', 'events.lead.created.7'],
    ['gateway', 'publish', 'rpc.identity.tenants.get'],
    ['custom-objects', 'publish', '$KV.revocations.user.x'],
    ['custom-objects', 'publish', '$JS.API.STREAM.DELETE.EVENTS'],
    ['custom-objects', 'publish', '$JS.API.STREAM.MSG.GET.EVENTS'],
    ['custom-objects', 'publish', '$JS.API.DIRECT.GET.EVENTS'],
    ['custom-objects', 'publish', '$JS.API.DIRECT.GET.EVENTS.events.app.installed.7'],
    ['custom-objects', 'publish', '$JS.API.CONSUMER.MSG.NEXT.EVENTS.webhook-dispatcher'],
    ['automation-hooks', 'publish', '$JS.ACK.EVENTS.webhook-dispatcher.1.1.1.1.1'],
    ['webhook-dispatcher', 'publish', '$JS.API.CONSUMER.DELETE.EVENTS.automation-hooks'],
    ['webhook-dispatcher', 'publish', '$JS.API.CONSUMER.CREATE.EVENTS.spy'],
    ['custom-objects', 'publish', '_INBOX_identity.forged'],
    ['provisioner', 'publish', 'events.lead.created.7'],
    ['custom-objects', 'subscribe', '_INBOX_identity.>'],
    ['custom-objects', 'subscribe', '_INBOX.>'],
    ['custom-objects', 'subscribe', 'events.>'],
    ['custom-objects', 'subscribe', '>'],
    ['gateway', 'subscribe', rpc.identity.getTenant.subject],
    ['webhook-dispatcher', 'subscribe', '$KV.revocations.>'],
    ['marketplace-admin', 'subscribe', '$JS.API.>'],
  ])('%s may not %s: %s', async (user, action, subject) => {
    const connection = await as(user);
    if (action === 'publish') connection.publish(subject, '{}');
    else connection.subscribe(subject, { callback: () => undefined });
    await refused(user, subject);
  });

  it.each<[NatsUser, string]>([
    ['custom-objects', 'events.lead.created.7'],
    ['marketplace-certification', 'events.app.installed.7'],
    ['custom-objects', '$JS.API.DIRECT.GET.EVENTS.events.lead.created.7'],
    ['custom-objects', rpc.identity.getTenant.subject],
    ['identity', '$KV.revocations.user.x'],
    ['webhook-dispatcher', '$JS.API.CONSUMER.INFO.EVENTS.webhook-dispatcher'],
  ])('%s may publish %s', async (user, subject) => {
    const connection = await as(user);
    connection.publish(subject, '{}');
    await connection.flush();
    expect(refusalsOf(user, subject)).toEqual([]);
  });

  it('let a server reply once, and only to the reply subject of the request', async () => {
    const identity = await as('identity');
    identity.subscribe(rpc.identity.getTenant.subject, { callback: (_error, message) => void message.respond('yes') });
    await identity.flush();
    const answer = await (await as('custom-objects')).request(rpc.identity.getTenant.subject, '{}', { timeout: 2_000 });
    expect(answer.string()).toBe('yes');
    identity.publish(`${inboxPrefix('custom-objects')}.unasked`, 'x');
    await refused('identity', `${inboxPrefix('custom-objects')}.unasked`);
  });

  it('stay the same when streams are provisioned again, and no message is lost', async () => {
    const ack = await jetstream(await as('custom-objects')).publish('events.lead.updated.1', '{}');
    await broker.provision();
    const manager = await jetstreamManager(await as('provisioner'));
    const stream = await manager.streams.info('EVENTS');
    expect(stream.state.last_seq).toBeGreaterThanOrEqual(ack.seq);
    expect(stream.config).toMatchObject({ retention: 'limits', max_age: 7 * 24 * 3600 * 1e9, num_replicas: 1 });
    const consumer = await manager.consumers.info('EVENTS', 'webhook-dispatcher');
    expect(consumer.config).toMatchObject({ ack_policy: 'explicit', max_deliver: -1 });
  });

  it('are asked for over TLS alone at an address with tls://', async () => {
    const url = broker.url.replace('nats://', 'tls://');
    const connected = provisionStreams({ url, user: 'provisioner', password: PASSWORD }, { replicas: 1 });
    await expect(connected).rejects.toThrow(/does not support 'tls'/);
  });
});

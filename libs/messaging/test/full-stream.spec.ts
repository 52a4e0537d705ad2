import { ACCESS_TOKEN_SECONDS, type AccessTokenClaims, EVENTS } from '@crm/contracts';
import { appendEvent, newId } from '@crm/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DiscardPolicy } from '@nats-io/jetstream';
import { OutboxRelay, RevocationPublisher, RevocationWatch } from '../src/index.js';
import { type Broker, startBroker, startDatabase, type TestDatabase, until } from './fixture.js';

/** The events have eight ninths of it. */
const SERVER = '2MiB';
/** Some 3 MiB. */
const EVENTS_APPENDED = 60;
const TEXT = 'x'.repeat(50_000);

describe('a full event stream', () => {
  let broker: Broker;
  let store: TestDatabase;
  beforeAll(async () => {
    [broker, store] = await Promise.all([startBroker({ maxFileStore: SERVER }), startDatabase()]);
  });
  afterAll(async () => {
    await broker.stop();
    await store.drop();
  });

  it('gets its limit also where a stream of an earlier release had none', async () => {
    const { streams } = await broker.manager();
    const change = { max_bytes: -1, discard: DiscardPolicy.Old };
    await streams.update('EVENTS', change);
    const limits = async () => {
      const { config } = await streams.info('EVENTS');
      return [config.max_bytes, config.discard];
    };
    expect(await limits()).toEqual([-1, 'old']);
    await broker.provision();
    expect(await limits()).toEqual([Math.floor((2 * 2 ** 20 * 8) / 9), 'new']);
  });

  it('leaves cut-offs their space; what does not fit waits in the outbox and arrives once there is space', async () => {
    const [nats, identity, gateway] = (await Promise.all(
      (['custom-objects', 'identity', 'gateway'] as const).map((service) => broker.service(service)),
    )) as [
      Awaited<ReturnType<Broker['service']>>,
      Awaited<ReturnType<Broker['service']>>,
      Awaited<ReturnType<Broker['service']>>,
    ];
    const watch = new RevocationWatch(gateway);
    watch.start();
    const relay = new OutboxRelay(store.database, nats, { pollMs: 50, standbyMs: 30, retryMs: 50 });
    relay.start();
    try {
      const tenant = newId();
      const ids: string[] = [];
      const append = async () => {
        const record = { text: TEXT } as never;
        ids.push(
          await store.database.transaction(tenant, (tx) =>
            appendEvent(tx, EVENTS['lead.created'], { subject: newId(), data: { record } }),
          ),
        );
      };
      while (ids.length < EVENTS_APPENDED) await append();
      const stored = async () => (await broker.manager()).streams.info('EVENTS');
      await until(async () => (await stored()).state.bytes > 1.6 * 2 ** 20, 'the stream is full');

      const token: AccessTokenClaims = {
        ...{ iss: 'x', aud: 'platform-api', sub: newId(), tid: tenant, roles: [], scopes: [] },
        ...{ iat: 0, exp: ACCESS_TOKEN_SECONDS, jti: newId() },
      };
      await append();
      await new RevocationPublisher(identity).publish({ kind: 'user', id: token.sub, cutoffMs: Date.now() + 1_000 });
      await until(() => watch.isRevoked(token), 'the token is refused', 1_000);
      expect((await stored()).state.messages).toBeLessThan(ids.length);

      // What the runbook does.
      await broker.restart(undefined, '20MiB');
      await broker.provision();
      await until(async () => (await stored()).state.messages === ids.length, 'everything has arrived', 20_000);
      expect(await broker.stored()).toEqual(ids);
    } finally {
      await relay.stop();
      await watch.stop();
    }
  });
});

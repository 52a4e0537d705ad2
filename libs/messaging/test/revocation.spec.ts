import { ACCESS_TOKEN_SECONDS, type AccessTokenClaims, type Revocation } from '@crm/contracts';
import { newId } from '@crm/database';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type NatsConnection, RevocationPublisher, RevocationWatch } from '../src/index.js';
import { type Broker, startBroker, succeeds, until } from './fixture.js';

const claims = (changes: Partial<AccessTokenClaims> = {}): AccessTokenClaims => ({
  iss: 'x',
  aud: 'platform-api',
  sub: newId(),
  tid: newId(),
  roles: [],
  scopes: [],
  sid: newId(),
  iat: 0,
  exp: ACCESS_TOKEN_SECONDS,
  jti: newId(),
  ...changes,
});

describe('the watch of revocations', () => {
  let broker: Broker;
  let publisher: RevocationPublisher;
  let watches: RevocationWatch[] = [];

  beforeAll(async () => {
    broker = await startBroker();
    publisher = new RevocationPublisher(await broker.service('identity'));
  });
  afterEach(async () => {
    await Promise.all(watches.map((watch) => watch.stop()));
    watches = [];
  });
  afterAll(() => broker.stop());

  const start = async (nats?: NatsConnection) => {
    const watch = new RevocationWatch(nats ?? (await broker.service('gateway')));
    watches.push(watch);
    expect(watch.ready).toBe(false);
    watch.start();
    await until(() => watch.ready, 'the snapshot is complete');
    return watch;
  };
  const future = () => Date.now() + 1_000;

  it('is ready with an empty bucket, and receives a cut-off within a second', async () => {
    const watch = await start();
    const token = claims();
    expect(watch.isRevoked(token)).toBe(false);
    await publisher.publish({ kind: 'user', id: token.sub, cutoffMs: future() });
    await until(() => watch.isRevoked(token), 'the token is revoked', 1_000);
    expect(watch.isRevoked(claims())).toBe(false);
  });

  it('takes a signing key out of force within a second, in processes that start later too', async () => {
    const watch = await start();
    const kid = `api-${newId()}`;
    expect(watch.isKeyRevoked(kid)).toBe(false);
    const started = Date.now();
    await publisher.publish({ kind: 'signing_key', id: kid, cutoffMs: started });
    await until(() => watch.isKeyRevoked(kid), 'the key is revoked', 1_000);
    expect(Date.now() - started).toBeLessThan(1_000);
    expect(watch.isKeyRevoked(`api-${newId()}`)).toBe(false);
    expect((await start()).isKeyRevoked(kid)).toBe(true);
  });

  it('refuses every token of a suspended tenant, whenever it was issued, until the tenant is reinstated', async () => {
    const watch = await start();
    const tid = newId();
    const [old, young, other] = [claims({ tid }), () => claims({ tid, jti: newId() }), claims()];
    const now = Date.now();
    await publisher.publish({ kind: 'suspension', id: tid, cutoffMs: now });
    await until(() => watch.isSuspended(tid), 'the tenant is suspended', 1_000);
    expect([old, young(), other].map((token) => watch.isRevoked(token))).toEqual([true, true, false]);
    // Operators have no tenant.
    expect(watch.isRevoked(claims({ tid: undefined }))).toBe(false);
    expect([watch.suspendedTenants(), (await start()).suspendedTenants()]).toEqual([[tid], [tid]]);

    await publisher.publish({ kind: 'tenant', id: tid, cutoffMs: now + 1 });
    await publisher.publish({ kind: 'reinstatement', id: tid, cutoffMs: now + 1 });
    await until(() => !watch.isSuspended(tid), 'the tenant is reinstated', 1_000);
    expect([old, young()].map((token) => watch.isRevoked(token))).toEqual([true, false]);
    const late = await start();
    expect([late.isSuspended(tid), late.isRevoked(old), late.isRevoked(young())]).toEqual([false, true, false]);
  });

  it('knows every cut-off of the bucket when it is ready, also those that are published again while it reads them', async () => {
    const tokens = Array.from({ length: 50 }, () => claims());
    const publishAll = async () => {
      for (const token of tokens) await publisher.publish({ kind: 'user', id: token.sub, cutoffMs: future() });
    };
    await publishAll();
    const nats = await broker.service('gateway');
    const { consumers } = nats.jetstream;
    const open = consumers.getPushConsumer.bind(consumers);
    // What identity does at its start, at the worst moment: the server has counted the cut-offs and delivered none.
    const openAndPublish = jest.spyOn(consumers, 'getPushConsumer').mockImplementation(async (...args) => {
      const consumer = await open(...args);
      await publishAll();
      return consumer;
    });
    const watch = await start(nats);
    expect(openAndPublish).toHaveBeenCalledTimes(1);
    expect(tokens.filter((token) => !watch.isRevoked(token))).toEqual([]);
    const later = claims();
    await publisher.publish({ kind: 'user', id: later.sub, cutoffMs: future() });
    await until(() => watch.isRevoked(later), 'the token is revoked', 1_000);
  });

  const ID = newId();
  it.each<[string, Revocation['kind'], string, Partial<AccessTokenClaims>]>([
    ['session', 'session', ID, { sid: ID }],
    ['tenant', 'tenant', ID, { tid: ID }],
    ['acting app', 'app', 'acme.sync', { act: { sub: 'acme.sync', installation_id: newId() } }],
    ['embedding app', 'app', 'acme.embed', { embed: true, embed_app_id: 'acme.embed' }],
    ['installation', 'installation', ID, { act: { sub: 'acme.other', installation_id: ID } }],
  ])('ends the tokens of a %s', async (_name, kind, id, changes) => {
    const watch = await start();
    const token = claims(changes);
    await publisher.publish({ kind, id, cutoffMs: future() });
    await until(() => watch.isRevoked(token), 'the token is revoked', 1_000);
  });

  it('ends the tokens of an app for a user that are older than the change of a grant, and no later one', async () => {
    const watch = await start();
    const act = { sub: 'acme.narrowed', installation_id: newId() };
    const sid = newId();
    const [before, ofAnother, ofSession] = [claims({ act, sid }), claims({ act }), claims({ sid })];
    await publisher.publish({ kind: 'grant', id: sid, cutoffMs: Date.now() + 5 });
    await until(() => watch.isRevoked(before), 'the token from before is revoked', 1_000);
    expect([watch.isRevoked(ofAnother), watch.isRevoked(ofSession)]).toEqual([false, false]);
    await until(() => !watch.isRevoked(claims({ act, sid })), 'a token from after the change is accepted', 1_000);
  });

  it('says how long ago it was confirmed to be complete: of a lost connection, and of a consumer that was deleted', async () => {
    const watch = await start();
    await until(() => watch.ageMs < 100, 'the watch is confirmed');
    broker.proxy.cut();
    await until(() => watch.ageMs > 2_500, 'nothing is confirmed');
    expect(watch.ready).toBe(true);
    broker.proxy.mend();
    await until(() => watch.ageMs < 1_000, 'the watch is confirmed again');

    const deleteConsumers = async () => {
      const { consumers } = await broker.manager();
      const names = (await consumers.list('KV_revocations').next()).map(({ name }) => name);
      await Promise.all(names.map((name) => consumers.delete('KV_revocations', name)));
    };
    await until(() => succeeds(deleteConsumers()), 'the server deletes the consumers');
    const token = claims();
    const publish = () => publisher.publish({ kind: 'user', id: token.sub, cutoffMs: future() });
    await until(() => succeeds(publish()), 'the cut-off is published');
    // The client itself would look after a minute.
    await until(() => watch.isRevoked(token), 'another consumer has brought the cut-off');
  });

  it('keeps the known cut-offs while the broker is unavailable, and catches up afterwards', async () => {
    const watch = await start();
    const [known, missed] = [claims(), claims()];
    await publisher.publish({ kind: 'user', id: known.sub, cutoffMs: future() });
    await until(() => watch.isRevoked(known), 'the first is known');
    await broker.restart();
    expect(watch.isRevoked(known)).toBe(true);
    const publish = () => publisher.publish({ kind: 'user', id: missed.sub, cutoffMs: future() });
    await until(() => succeeds(publish()), 'identity publishes again', 20_000);
    await until(() => watch.isRevoked(missed), 'the second is known', 5_000);
  }, 60_000);
});

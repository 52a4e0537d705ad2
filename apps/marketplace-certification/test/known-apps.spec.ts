import { rpc } from '@crm/contracts';
import { NatsConnection, Rpc } from '@crm/messaging';
import { testNats } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Fixture, useMarketplace } from './support/fixture.js';
import type { Caller } from './support/marketplace.js';
import { fieldService, newKey } from './support/packages.js';

const PRIVATE = { listing: { visibility: 'private' } } as const;

let nats: NatsConnection;
let customObjects: Rpc;
let { marketplace, developer, tenant } = {} as Fixture;
useMarketplace((fixture) => {
  ({ marketplace, developer, tenant } = fixture);
});

beforeAll(async () => {
  const { url, passwords } = testNats();
  const service = 'custom-objects';
  nats = await NatsConnection.open({ url, user: service, password: passwords[service], service });
  customObjects = new Rpc(nats);
});
afterAll(() => nats.close());

const isKnown = async (appKey: string, { token }: Caller) =>
  (await customObjects.call(rpc.marketplace.isAppKnown, { appKey }, { token })).known;

describe('an app', () => {
  it('is known to everybody once a version was published, and before that to its publisher alone', async () => {
    const key = newKey();
    expect([await isKnown(key, developer), await isKnown(key, tenant)]).toEqual([false, false]);
    await marketplace.submit(developer, fieldService(key));
    expect([await isKnown(key, developer), await isKnown(key, tenant)]).toEqual([true, false]);
    const published = newKey();
    await marketplace.publish(developer, published);
    expect([await isKnown(published, developer), await isKnown(published, tenant)]).toEqual([true, true]);
  });

  it('that is private is known to its publisher, and to a workspace that had installed it before', async () => {
    const key = newKey();
    await marketplace.publish(developer, key);
    const { body } = await marketplace.install(tenant, key);
    await marketplace.publish(developer, key, { version: '1.1.0', ...PRIVATE });
    const stranger = await marketplace.caller();
    const known = async () => [await isKnown(key, developer), await isKnown(key, tenant), await isKnown(key, stranger)];
    expect(await known()).toEqual([true, true, false]);
    await marketplace.request(tenant, 'DELETE', `/installs/${body.id}`);
    await marketplace.settled(tenant, body.id, 'uninstalled');
    expect(await known()).toEqual([true, true, false]);
  });

  it('is asked about with any text, and by administrators only', async () => {
    for (const text of ['', 'no key', 'x'.repeat(300), "'--", '\u0000'])
      expect(await isKnown(text, tenant)).toBe(false);
    const member = await marketplace.caller('member', tenant.tenantId);
    await expect(isKnown(newKey(), member)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});

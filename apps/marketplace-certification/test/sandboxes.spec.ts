import { rpc } from '@crm/contracts';
import { NatsConnection, Rpc } from '@crm/messaging';
import { testNats } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Fixture, useMarketplace } from './support/fixture.js';
import type { Caller } from './support/marketplace.js';
import { fieldService, newKey } from './support/packages.js';

let nats: NatsConnection;
let dispatcher: Rpc;
let { marketplace, developer, tenant } = {} as Fixture;
useMarketplace((fixture) => {
  ({ marketplace, developer, tenant } = fixture);
});

beforeAll(async () => {
  const { url, passwords } = testNats();
  const service = 'webhook-dispatcher';
  nats = await NatsConnection.open({ url, user: service, password: passwords[service], service });
  dispatcher = new Rpc(nats);
});
afterAll(() => nats.close());

const list = async (appKey: string, { token }: Caller = developer) =>
  (await dispatcher.call(rpc.marketplace.listSandboxes, { appKey }, { token })).installationIds;
const sandbox = async (caller: Caller, key: string) => (await marketplace.install(caller, key, { sandbox: true })).body;

describe('the sandboxes of an app', () => {
  it('are those in the workspace of its publisher, newest first, before publication too', async () => {
    const key = newKey();
    await marketplace.submit(developer, fieldService(key));
    expect(await list(key)).toEqual([]);
    const first = await sandbox(developer, key);
    const second = await sandbox(developer, key);
    expect(await list(key)).toEqual([second.id, first.id]);
    await marketplace.request(developer, 'DELETE', `/installs/${first.id}`);
    await marketplace.settled(developer, first.id, 'uninstalled');
    expect(await list(key)).toEqual([second.id]);
  });

  it('are neither live installations nor those of other workspaces or apps', async () => {
    const [key, other] = [newKey(), newKey()];
    await marketplace.publish(developer, key);
    await marketplace.publish(developer, other);
    await marketplace.install(developer, key);
    await sandbox(developer, other);
    expect((await sandbox(tenant, key)).state).toBe('active');
    expect(await list(key)).toEqual([]);
  });

  it('are shown to administrators of the publisher only', async () => {
    const key = newKey();
    await marketplace.publish(developer, key);
    await sandbox(tenant, key);
    await expect(list(key, tenant)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(list(newKey())).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(list('no key', developer)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const member = await marketplace.caller('member', developer.tenantId);
    await expect(list(key, member)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});

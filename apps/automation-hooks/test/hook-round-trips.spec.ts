import { PartitionUpkeep } from '@crm/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Service, startWorld, type Tenant, tenantOn, type World } from './automations-service.js';
import { type CountingProxy, startCountingProxy } from './round-trips.js';

let world: World;
let proxy: CountingProxy;
let service: Service;
let tenant: Tenant;
let path: string;

beforeAll(async () => {
  world = await startWorld();
  const { database } = world.configure();
  proxy = await startCountingProxy(database.url);
  // It executes no runs, and its narrow role has one connection, so that only the calls are counted.
  service = await world.start({ concurrency: 0, pollMs: 60_000 }, 10_000, 200, {
    database: { ...database, url: proxy.through(database.url), narrowUrl: proxy.through(database.narrowUrl) },
  });
  // Its statements would be counted too.
  await service.get(PartitionUpkeep).stop();
  tenant = await tenantOn(world, service);
  path = (await tenant.hooked({ actions: [{ type: 'create_task', title: 'x' }] })).path;
  // Connections are opened, statements prepared, sweeps done.
  for (let call = 0; call < 3; call += 1) await post(path, {}, { first: call });
});
afterAll(async () => {
  await service.close();
  await proxy.close();
  await world.close();
});

const post = async (to: string, headers: Record<string, string> = {}, body: unknown = {}) =>
  (await service.request('POST', to, { body, headers })).status;

describe('round trips to Postgres of a hook call', () => {
  it.each([
    ['that is accepted', 202, () => post(path)],
    ['with a new key', 202, () => post(path, { 'webhook-id': 'msg_1' })],
    ['with a repeated key', 202, () => post(path, { 'webhook-id': 'msg_1' })],
    ['with a wrong secret', 404, () => post(`${path}x`)],
    ['with a body that is not an object', 400, () => post(path, {}, [])],
    ['with a wrong secret and a body that is not an object', 404, () => post(`${path}x`, {}, [])],
  ])('%s: one', async (_what, status, call) => {
    await call();
    proxy.take();
    expect(await call()).toBe(status);
    expect(proxy.take()).toBe(1);
  });

  it('of many at the same time: fewer than calls', async () => {
    proxy.take();
    const statuses = await Promise.all(Array.from({ length: 50 }, () => post(path)));
    expect(statuses).toEqual(statuses.map(() => 202));
    expect(proxy.take()).toBeLessThan(50);
  });
});

import net from 'node:net';
import { PartitionUpkeep } from '@crm/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Service, startWorld, type Tenant, tenantOn, type World } from './automations-service.js';

/** Between a service and Postgres: counts how often the service writes after it has received an answer. */
interface CountingProxy {
  /** The address of the same database through the proxy. */
  through(url: string): string;
  /** Round trips of all connections since they were last counted. */
  take(): number;
  close(): Promise<void>;
}

/** @param target URL of the database */
async function startCountingProxy(target: string): Promise<CountingProxy> {
  const { hostname, port } = new URL(target);
  let trips = 0;
  const sockets = new Set<net.Socket>();
  const server = net.createServer((client) => {
    const upstream = net.connect({ host: hostname, port: Number(port), noDelay: true });
    client.setNoDelay(true);
    let isAnswered = true;
    client.on('data', (chunk) => {
      if (isAnswered) trips += 1;
      isAnswered = false;
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      isAnswered = true;
      client.write(chunk);
    });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.on('error', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address() as net.AddressInfo;
  return {
    through(url) {
      const copy = new URL(url);
      copy.host = `127.0.0.1:${address.port}`;
      return copy.toString();
    },
    take() {
      const taken = trips;
      trips = 0;
      return taken;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

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

import { waitUntil } from '@crm/testing';
import { expect, it } from '@jest/globals';
import { gate, type Tenant, useWebhooks } from './webhook-service.js';

const { app, tenant } = useWebhooks({ retryDelaysMs: [0, 60_000], concurrency: 16 });

const STALLING = 5;
const EVENTS = 3;
/** With a number of receivers of its own at the one origin. */
const withReceivers = async (path: string, count: number): Promise<Tenant> => {
  const one = await app.tenant();
  for (let index = 0; index < count; index += 1)
    await app.subscribe(one.admin, { url: `${app.receiver.url}/${path}/${index}` });
  return one;
};

it("delivers to a receiver beside another workspace's at the same origin, whether these stall or hang up", async () => {
  const neighbour = await withReceivers('stalling', STALLING);
  await app.subscribe(tenant.admin, { url: `${app.receiver.url}/quick` });
  const { opened, open } = gate();
  app.receiver.respondWith(async ({ path }) => {
    if (path === '/quick') return { status: 204 };
    await opened;
    return 'reset';
  });
  const deliver = async () => {
    for (let count = 0; count < 3; count += 1) expect((await app.delivered(tenant.id)).path).toBe('/quick');
  };
  const stalled = Promise.all(Array.from({ length: EVENTS }, () => app.emit(neighbour.id)));
  await waitUntil(() => app.receiver.requests.filter(({ path }) => path !== '/quick').length >= STALLING, {
    describe: 'the stalling receivers have requests',
  });
  await deliver();
  open();
  await stalled;
  const failed = async () => (await app.deliveries(neighbour.admin, '?status=retrying&size=100')).length;
  await waitUntil(async () => (await failed()) > STALLING, {
    describe: 'more attempts in a row have no answer than pause a target',
  });
  await deliver();
});

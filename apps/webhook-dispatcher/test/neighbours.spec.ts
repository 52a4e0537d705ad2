import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '@crm/testing';
import { expect, it } from '@jest/globals';
import { DueDeliveryWorker } from '../src/delivery/due-delivery.worker.js';
import type { Receiver } from '../src/receivers/receiver.js';
import { ReceiverLimits } from '../src/receivers/receiver-limits.js';
import { envelope, gate, type Tenant, useWebhooks } from './webhook-service.js';

const { app, tenant } = useWebhooks({ retryDelaysMs: [0, 60_000], concurrency: 256, concurrencyPerSubscription: 8 });

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

/** Counts rows as they are updated: what the server's statistics say comes up to ten seconds later. */
const COUNT_UPDATES = `
  CREATE SEQUENCE updates MINVALUE 0;
  SELECT nextval('updates');
  CREATE FUNCTION count_update() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $body$
  BEGIN PERFORM nextval('public.updates'); RETURN NULL; END $body$;
  CREATE TRIGGER count_update AFTER UPDATE ON due_delivery FOR EACH ROW EXECUTE FUNCTION count_update();
  CREATE TRIGGER count_update AFTER UPDATE ON subscription_queue FOR EACH ROW EXECUTE FUNCTION count_update();
  CREATE TRIGGER count_update AFTER UPDATE ON delivery FOR EACH ROW EXECUTE FUNCTION count_update()`;
const updates = async () => {
  const [row] = await app.asAdministrator<{ count: number }>('SELECT last_value::int AS count FROM updates');
  return row?.count ?? Number.NaN;
};

/** Where nothing listens. */
const deadOrigin = async () => {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { address: host, port } = server.address() as AddressInfo;
  server.close();
  app.config.egress.allow.push({ host, port });
  return `https://${host}:${port}`;
};

const TENANTS = 10;
const RECEIVERS = 20;
const WINDOW_MS = 1_000;

it('writes nothing for what waits for a dead origin, also when it was started with all of it', async () => {
  await app.service.get(DueDeliveryWorker).beforeApplicationShutdown();
  const origin = await deadOrigin();
  const fill = async () => {
    const { id } = await app.tenant();
    const webhooks = Array.from({ length: RECEIVERS }, (_, at) => ({
      events: ['lead.created'],
      url: `${origin}/${at}`,
    }));
    await app.provision(id, { webhooks });
    const record = { id, version: 1, lastName: 'Doe' };
    const events = Array.from({ length: 5 }, () => envelope(id, 'lead.created', record));
    await Promise.all(events.map((event) => app.handle(event, { isRepeated: false, shouldPutOff: true })));
  };
  await Promise.all(Array.from({ length: TENANTS }, fill));
  await app.asAdministrator(COUNT_UPDATES);
  const claimed = async (condition: string) => {
    const text = `SELECT count(*)::int AS count FROM due_delivery WHERE ${condition}`;
    return (await app.asAdministrator<{ count: number }>(text))[0]?.count;
  };
  expect(await claimed('claim IS NULL AND NOT is_retry')).toBe(1_000);

  const limits = (await app.startSibling()).get(ReceiverLimits);
  const isPaused = () => limits.isSlow({ subscriptionId: '', origin } as Receiver, performance.now());
  await waitUntil(async () => isPaused() && (await claimed('claimed_until > now()')) === 0, {
    describe: 'the origin is paused',
  });
  const [before, begun] = [await updates(), process.cpuUsage()];
  // A rate takes a time.
  await delay(WINDOW_MS);
  const { user, system } = process.cpuUsage(begun);
  const cpu = `${((user + system) / WINDOW_MS / 10).toFixed(1)} % of a core`;
  const perSecond = ((await updates()) - before) / (WINDOW_MS / 1000);
  process.stdout.write(
    `1,000 deliveries that wait for a dead origin: ${perSecond} row updates a second, ${cpu} for all processes\n`,
  );
  expect(perSecond).toBeLessThan(20);
});

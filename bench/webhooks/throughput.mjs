// Deliveries a second of a backlog in the outbox, until each stands as delivered in the ledger, next to undici alone, which
// sends the same requests to the same receiver. Rounds of both alternate, because the machine is shared.
import path from 'node:path';
import { accepts } from '../../scripts/platform/readiness.mjs';
import { freePorts } from '../../scripts/servers/free-port.mjs';
import { median } from '../measure.mjs';
import { DELIVERY_BODY } from './body.mjs';
import { commandsOf } from './control.mjs';
import { countProcessorTime, processorRows } from './processor-use.mjs';
import { untilReached } from './progress.mjs';
import { checkArrivals } from './receipts.mjs';

/** Of one round; each becomes ten deliveries. */
const EVENTS = Number(process.env.BENCH_WEBHOOK_EVENTS ?? 3000);
const TOGETHER = 50;
const BARE_MS = Number(process.env.BENCH_ROUND_MS ?? 2000);
const WARM_UP_REQUESTS = 10_000;
const LONGEST_WARM_UP_MS = 10_000;
/** Durable deliveries a second. */
export const SUSTAINED = 2000;
const RATIO = 0.1;

/** @typedef {import('./subjects.mjs').Subjects} Subjects */
/** @typedef {import('./tenants.mjs').Tenants} Tenants */

/**
 * undici alone, in a process of its own.
 * @param {Subjects} subjects
 * @returns {Promise<() => Promise<number>>} sends for a round, and gives the requests a second
 */
export async function startBareLoop({ processes, receiver, caFile, healthyOrigins }) {
  const [port] = /** @type {[number]} */ (await freePorts(1));
  await processes.start(
    'bare client',
    path.join(import.meta.dirname, 'servers', 'bare-client.mjs'),
    {
      URLS: healthyOrigins.map((origin, index) => `${origin}/ok/bare/${index}`).join(),
      CA_FILE: caFile,
      CONTROL_PORT: String(port),
    },
    () => accepts(port),
  );
  const client = commandsOf('The bare client', port);
  const send = async () => {
    const { requests, seconds } = await client('send', { milliseconds: BARE_MS, body: DELIVERY_BODY });
    await receiver('forget');
    return requests / seconds;
  };
  // The compiler takes its time by calls, not by the clock.
  const deadline = performance.now() + LONGEST_WARM_UP_MS;
  for (let sent = 0; sent < WARM_UP_REQUESTS && performance.now() < deadline; ) {
    sent += (await send()) * (BARE_MS / 1000);
  }
  return send;
}

/** @param {number} rate */
export const bareRow = (rate) => ({ name: 'undici alone: requests', unit: '/s', ours: rate });

/**
 * @param {Subjects} subjects
 * @param {Dispatcher} dispatcher
 * @param {Tenants} tenants
 * @param {number} rounds
 * @returns {Promise<{ rows: object[], rate: number }>}
 */
export async function measureThroughput(subjects, dispatcher, tenants, rounds) {
  const bareLoop = await startBareLoop(subjects);
  await deliverBacklog(subjects, dispatcher, tenants, Math.ceil(EVENTS / 4));
  /** @type {(Awaited<ReturnType<typeof deliverBacklog>> & { bare: number })[]} */
  const all = [];
  for (let round = 0; round < rounds; round += 1) {
    const bare = await bareLoop();
    all.push({ bare, ...(await deliverBacklog(subjects, dispatcher, tenants, EVENTS)) });
  }
  const rate = median(all.map((round) => round.rate));
  const bare = median(all.map((round) => round.bare));
  const deliveries = all.reduce((sum, round) => sum + round.deliveries, 0);
  const name = `durable deliveries of ${EVENTS} events`;
  const rows = [
    bareRow(bare),
    { name, unit: '/s', ours: rate, atLeast: SUSTAINED },
    {
      name: `${name}, beside undici alone`,
      unit: '/s',
      ours: rate,
      baseline: bare,
      ratio: median(all.map((round) => round.rate / round.bare)),
      atLeast: RATIO,
    },
    ...processorRows(
      name,
      all.map(({ seconds }) => seconds),
      deliveries,
    ),
    { name: `${name}, received again`, unit: '', ours: all.reduce((sum, { duplicates }) => sum + duplicates, 0) },
  ];
  return { rows, rate };
}

/** @typedef {Awaited<ReturnType<Subjects['startDispatcher']>>} Dispatcher */

/**
 * One round: events wait in the outbox, the relay is started, and the end is when the ledger has all as delivered.
 * @param {Subjects} subjects
 * @param {Dispatcher} dispatcher
 * @param {Tenants} tenants
 * @param {number} events
 */
async function deliverBacklog(subjects, { api, ...dispatcher }, tenants, events) {
  const { source, receiver, ledger, postgres, nats, sourceProcess, receiverProcess } = subjects;
  const subscriptions = [...tenants.steady, ...tenants.tenth];
  await source('forget');
  await receiver('forget');
  await source('commitAll', { tenantIds: tenants.ids, events, together: TOGETHER });
  const deliveries = events * (subscriptions.length / tenants.ids.length);
  const before = await ledger.countDelivered();
  const shown = await Promise.all(tenants.tenth.map((one) => api.countDeliveries(one, 'delivered')));
  const processorTime = await countProcessorTime([dispatcher, postgres, nats, sourceProcess, receiverProcess]);

  const begun = performance.now();
  await source('startRelay');
  await untilReached('deliveries', deliveries, async () => (await receiver('counts')).receipts);
  await untilReached('deliveries in the ledger', before + deliveries, () => ledger.countDelivered());
  const rate = deliveries / ((performance.now() - begun) / 1000);

  const seconds = await processorTime();
  await source('stopRelay');

  const commits = await source('commits');
  checkArrivals(commits, await receiver('receipts'), subscriptions);
  for (const [index, one] of tenants.tenth.entries()) {
    const more = (await api.countDeliveries(one, 'delivered')) - Number(shown[index]);
    const wanted = commits[one.tenantId]?.length ?? 0;
    if (more !== wanted) throw new Error(`The API shows ${more} of ${wanted} deliveries of a subscription`);
  }
  const { duplicates } = await receiver('counts');
  return { rate, deliveries, seconds, duplicates };
}

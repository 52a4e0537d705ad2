// Webhooks from the commit of an event to the receiver and to the ledger, each process as in production. Every case checks that
// each event arrived at each subscription whose receiver works.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { newId } from '@crm/database';
import { Pool } from 'undici';
import { setting } from '../lab.mjs';
import { countProcessorTime, percentile, processorRows, residentMegabytes } from '../load.mjs';
import { median } from '../measure.mjs';
import {
  DELIVERY_BODY,
  latenciesOf,
  SUBSCRIPTIONS,
  startWebhooks,
  subscribeTenants,
  untilReached,
} from '../webhook-subjects.mjs';

/** @typedef {import('../load.mjs').Row} Row */
/** @typedef {import('../webhook-subjects.mjs').Subjects} Subjects */
/** @typedef {Awaited<ReturnType<typeof subscribeTenants>>} Tenants */

const ROUNDS = setting('ROUNDS', 3, 1);
const RELAYED = setting('WEBHOOK_RELAY_EVENTS', 10_000, 1000);
/** Of one round; each becomes ten deliveries. */
const EVENTS = setting('WEBHOOK_EVENTS', 3000, 200);
const BARE_MS = setting('ROUND_MS', 2000, 200);
/** To one origin, as many as the service keeps idle for one. */
const BARE_CONNECTIONS = 8;
/** What a delivery has beside its id: the lengths count, not the values. */
const HEADERS = {
  'user-agent': 'crm-platform/1',
  'content-type': 'application/json',
  'webhook-timestamp': '1700000000',
  'webhook-signature': `v1,${Buffer.alloc(32, 7).toString('base64')}`,
  'x-platform-signature': `t=1700000000,v1=${Buffer.alloc(32, 7).toString('hex')}`,
  'accept-encoding': 'identity',
};
const BARE_WARM_UPS = setting('WEBHOOK_WARM_UPS', 3, 1);
/** Durable deliveries a second. */
const SUSTAINED = 2000;
/** Longer than an attempt that hangs, which takes 15 s. */
const LATENCY_MS = setting('WEBHOOK_LATENCY_MS', 20_000, 2000);
/** A million in the target, as of the queue; fewer by default, because a million takes minutes. */
const DUE = setting('WEBHOOK_DUE', 100_000, 2000);
const QUEUE = setting('WEBHOOK_QUEUE', 100_000, 5000);
/** What the endpoint with the queue does: `fail`, `hang` or `slow/<ms>`. */
const BEHAVIOUR = process.env.BENCH_WEBHOOK_QUEUE_BEHAVIOUR ?? 'fail';
/** Deliveries of the other tenants a second: few, so that only the queue can delay them. */
const QUEUE_RATE = setting('WEBHOOK_QUEUE_RATE', 200, 100);
const QUEUE_MS = setting('WEBHOOK_QUEUE_MS', 10_000, 1000);

/** The first part of the suite needs no dispatcher, the others share one. @param {import('../lab.mjs').Lab} lab */
async function start(lab) {
  const subjects = await startWebhooks(lab);
  /** @type {Promise<{ dispatcher: import('../lab.mjs').Subject['processes'][number], tenants: Tenants }> | undefined} */
  let dispatching;
  const dispatch = async () => {
    const { port, process } = await subjects.startDispatcher();
    return { dispatcher: process, tenants: await subscribeTenants(subjects, port) };
  };
  /** By default half of what was measured, or of its target. */
  const rate = { perSecond: setting('WEBHOOK_RATE', SUSTAINED / 2) };
  return { ...subjects, rate, dispatching: () => (dispatching ??= dispatch()) };
}

/** @typedef {Awaited<ReturnType<typeof start>>} Suite */

/** Events a second that the relay brings from an outbox to JetStream, before the dispatcher is started. @param {Suite} subjects */
async function relay({ source, position, processes: { source: relaying, postgres, nats } }) {
  const all = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    await source('commitAll', { tenantIds: [newId()], events: RELAYED });
    const end = (await position()) + RELAYED;
    const spent = await countProcessorTime([relaying, postgres, nats]);
    const begun = performance.now();
    await source('startRelay');
    await untilReached('events in the stream', end, position, 10);
    const rate = RELAYED / ((performance.now() - begun) / 1000);
    all.push({ rate, seconds: await spent() });
    await source('stopRelay');
  }
  await source('forget');
  // The first round warms it up.
  const counted = all.slice(1);
  const name = 'outbox relay: events';
  const seconds = counted.map((one) => one.seconds);
  return [
    { name, unit: '/s', ours: median(counted.map(({ rate }) => rate)), atLeast: 5000 },
    ...processorRows(`${name}, processor time of each`, seconds, RELAYED * ROUNDS),
  ];
}

/** The upper bound: undici alone sends the same requests to the same receiver. No events, no ledger, no signatures, no checks of
 * addresses. Gives requests a second. @param {readonly string[]} origins @param {string} ca @param {Suite['receiver']} receiver */
function bareLoop(origins, ca, receiver) {
  const pools = origins.map((origin) => new Pool(origin, { connections: BARE_CONNECTIONS, connect: { ca } }));
  return async () => {
    const begun = performance.now();
    let requests = 0;
    const use = async (/** @type {Pool} */ pool, /** @type {number} */ index) => {
      while (performance.now() < begun + BARE_MS) {
        const headers = { ...HEADERS, 'webhook-id': randomUUID() };
        const path = `/ok/bare/${index}`;
        const answer = await pool.request({ method: 'POST', path, headers, body: DELIVERY_BODY });
        await answer.body.arrayBuffer();
        if (answer.statusCode !== 200) throw new Error(`The receiver answered ${answer.statusCode}`);
        requests += 1;
      }
    };
    await Promise.all(pools.flatMap((pool, index) => Array.from({ length: BARE_CONNECTIONS }, () => use(pool, index))));
    const rate = (requests / (performance.now() - begun)) * 1000;
    await receiver('forget');
    return rate;
  };
}

/** Deliveries a second of a backlog until each is in the ledger, next to undici alone, which sends the same. @param {Suite} subjects */
async function throughput(subjects) {
  const { receiver, caFile, origins, rate: chosen } = subjects;
  const { dispatcher, tenants } = await subjects.dispatching();
  const sendBare = bareLoop(origins.slice(0, SUBSCRIPTIONS), await readFile(caFile, 'utf8'), receiver);
  for (let warmUp = 0; warmUp < BARE_WARM_UPS; warmUp += 1) await sendBare();
  await deliverBacklog(subjects, dispatcher, tenants, Math.ceil(EVENTS / 4));
  /** @type {({ bare: number } & Awaited<ReturnType<typeof deliverBacklog>>)[]} */
  const all = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    all.push({ bare: await sendBare(), ...(await deliverBacklog(subjects, dispatcher, tenants, EVENTS)) });
  }
  const of = (/** @type {'rate' | 'bare' | 'duplicates'} */ key) => all.map((round) => round[key]);
  const [rate, bare] = [median(of('rate')), median(of('bare'))];
  if (!process.env.BENCH_WEBHOOK_RATE) chosen.perSecond = rate / 2;
  const name = `durable deliveries of ${EVENTS} events`;
  const ratio = median(all.map((round) => round.rate / round.bare));
  const seconds = all.map((round) => round.seconds);
  return [
    { name: 'undici alone: requests', unit: '/s', ours: bare },
    { name, unit: '/s', ours: rate, atLeast: SUSTAINED },
    { name: `${name}, beside undici alone`, unit: '/s', ours: rate, baseline: bare, ratio, atLeast: 0.1 },
    ...processorRows(`${name}, processor time of each`, seconds, EVENTS * SUBSCRIPTIONS * ROUNDS),
    { name: `${name}, received again`, unit: '', ours: of('duplicates').reduce((sum, one) => sum + one, 0) },
  ];
}

/**
 * One round: events wait in the outbox, the relay is started, and the end is when the ledger has all as delivered.
 * @param {Suite} subjects @param {import('../lab.mjs').Subject['processes'][number]} dispatcher @param {Tenants} tenants @param {number} events
 */
async function deliverBacklog({ source, receiver, count, processes }, dispatcher, tenants, events) {
  const subscriptions = [...tenants.steady, ...tenants.tenth];
  await source('forget');
  await receiver('forget');
  await source('commitAll', { tenantIds: tenants.ids, events });
  const deliveries = events * SUBSCRIPTIONS;
  const before = await count('delivered');
  const shown = await Promise.all(tenants.tenth.map(tenants.delivered));
  const spent = await countProcessorTime([dispatcher, ...Object.values(processes)]);

  const begun = performance.now();
  await source('startRelay');
  await untilReached('deliveries', deliveries, async () => (await receiver('counts')).receipts);
  await untilReached('deliveries in the ledger', before + deliveries, () => count('delivered'));
  const rate = deliveries / ((performance.now() - begun) / 1000);
  const seconds = await spent();
  await source('stopRelay');

  const commits = await source('commits');
  latenciesOf(commits, await receiver('receipts'), subscriptions);
  for (const [index, one] of tenants.tenth.entries()) {
    const more = (await tenants.delivered(one)) - Number(shown[index]);
    const wanted = commits[one.tenantId]?.length ?? 0;
    if (more !== wanted) throw new Error(`The API shows ${more} of ${wanted} deliveries of a subscription`);
  }
  return { rate, seconds, duplicates: Number((await receiver('counts')).duplicates) };
}

/**
 * Milliseconds from the commit of an event to its receipt at a given rate; then the same with one of each tenant's ten
 * endpoints hanging. Rounds of both alternate.
 * @param {Suite} subjects
 */
async function latency(subjects) {
  const { source, receiver, count, rate } = subjects;
  const { tenants } = await subjects.dispatching();
  const { perSecond } = rate;
  const deliver = (/** @type {number} */ milliseconds) => deliverAtRate(subjects, tenants, perSecond, milliseconds);
  await source('startRelay');
  await deliver(Math.min(LATENCY_MS, 5000));
  /** @type {Record<'ok' | 'hang', number[][]>} */
  const latencies = { ok: [], hang: [] };
  const sides = /** @type {const} */ (['ok', 'hang']);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      if (side === 'hang') await tenants.replaceTenth('hang');
      latencies[side].push(await deliver(LATENCY_MS));
      if (side === 'ok') continue;
      await tenants.replaceTenth('ok');
      // What hangs still would fall into the round without.
      await untilReached('hanging attempts that have ended', 0, async () => -(await receiver('counts')).hanging, 200);
      await untilReached(
        'deliveries without a subscription that have ended',
        0,
        async () => -(await count('pending')),
        200,
      );
    }
  }
  await source('stopRelay');
  const name = `event to receiver at ${Math.round(perSecond)} deliveries a second`;
  const at = (/** @type {'ok' | 'hang'} */ side, part = 0.99) => latencies[side].map((one) => percentile(one, part));
  const [without, beside] = [at('ok'), at('hang')];
  return [
    { name: `${name}, p50`, unit: 'ms', ours: median(at('ok', 0.5)), atMost: 50 },
    { name: `${name}, p99`, unit: 'ms', ours: median(without), atMost: 250 },
    {
      name: `${name}, p99 of the healthy with a tenth hanging, beside without`,
      unit: 'ms',
      ours: median(beside),
      baseline: median(without),
      ratio: median(beside.map((p99, round) => p99 / Number(without[round]))),
      atMost: 1.5,
    },
  ];
}

/**
 * One round with the relay running: latencies at the nine endpoints of each tenant that always work, in ascending order.
 * @param {Suite} subjects @param {Tenants} tenants
 * @param {number} perSecond deliveries, those to endpoints that hang among them @param {number} milliseconds
 */
async function deliverAtRate({ source, receiver }, { ids, steady, tenth }, perSecond, milliseconds) {
  await source('forget');
  await receiver('forget');
  await source('commitAtRate', { tenantIds: ids, perSecond: perSecond / SUBSCRIPTIONS, milliseconds });
  /** @type {import('../webhook-subjects.mjs').Noted} */
  const commits = await source('commits');
  const healthy = [...steady, ...tenth.filter(({ path }) => path.startsWith('/ok/'))];
  const deliveries = healthy.reduce((sum, { tenantId }) => sum + (commits[tenantId]?.length ?? 0), 0);
  await untilReached('deliveries', deliveries, async () => (await receiver('counts')).receipts);
  const receipts = await receiver('receipts');
  latenciesOf(commits, receipts, healthy);
  return latenciesOf(commits, receipts, steady);
}

/** Many deliveries that are due at once drain at a steady rate in flat memory. @param {Suite} subjects */
async function due(subjects) {
  const { receiver, count, insertDue } = subjects;
  const { dispatcher, tenants } = await subjects.dispatching();
  const subscriptions = [...tenants.steady, ...tenants.tenth];
  const each = Math.ceil(DUE / subscriptions.length);
  const total = each * subscriptions.length;
  await receiver('forget');
  const before = await count('delivered');
  await insertDue(subscriptions, each);
  /** When a part of them had been received, and what the dispatcher held then. */
  const at = async (/** @type {number} */ part) => {
    const received = async () => Number((await receiver('counts')).receipts);
    await untilReached('deliveries that were due', Math.ceil(total * part), received);
    // Those that have come since the last look belong to the time.
    return { received: await received(), time: performance.now(), memory: await residentMegabytes(dispatcher.pid) };
  };
  const [begin, first, third, end] = [await at(0.001), await at(0.25), await at(0.75), await at(1)];
  await untilReached('deliveries in the ledger', before + total, () => count('delivered'), 200);
  const rate = (/** @type {typeof begin} */ from, /** @type {typeof begin} */ to) =>
    ((to.received - from.received) / (to.time - from.time)) * 1000;
  const name = `${total} due deliveries`;
  const [early, late] = [rate(begin, first), rate(third, end)];
  const beside = 'beside that after the first quarter';
  return [
    { name: `${name}, drained`, unit: '/s', ours: rate(begin, end) },
    {
      name: `${name}: rate of the last quarter, beside that of the first`,
      unit: '/s',
      ours: late,
      baseline: early,
      atLeast: 0.9,
    },
    {
      name: `${name}: memory of the dispatcher at the end, ${beside}`,
      unit: 'MB',
      ours: end.memory,
      baseline: first.memory,
      atMost: 1.1,
    },
  ];
}

/** What a large queue at an endpoint that misbehaves does to other tenants. Last of all, because it stays. @param {Suite} subjects */
async function queue(subjects) {
  const { source, count, insertDue, otherOrigins } = subjects;
  const { tenants } = await subjects.dispatching();
  const p99 = async () => percentile(await deliverAtRate(subjects, tenants, QUEUE_RATE, QUEUE_MS), 0.99);
  const measureRounds = async () => {
    const p99s = [];
    for (let round = 0; round < ROUNDS; round += 1) p99s.push(await p99());
    return median(p99s);
  };
  await source('startRelay');
  await p99();
  const without = await measureRounds();
  const waitingBefore = await count('pending', 'retrying');
  await insertDue([await tenants.subscribe(newId(), `${otherOrigins.at(-1)}/${BEHAVIOUR}/queue`)], QUEUE);
  const beside = await measureRounds();
  const isLeft = (await count('pending', 'retrying')) > waitingBefore;
  await source('stopRelay');
  if (!isLeft) throw new Error('The queue was gone before the end; BENCH_WEBHOOK_QUEUE makes a larger one');
  const name = `p99 of other tenants' events beside ${QUEUE} queued deliveries of one (${BEHAVIOUR}), and without`;
  return [{ name, unit: 'ms', ours: beside, baseline: without, atMost: 1.5 }];
}

export const suites = [{ start, cases: { relay, throughput, latency, due, queue } }];

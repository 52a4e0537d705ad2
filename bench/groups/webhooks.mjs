// Webhooks from the commit of an event to the receiver and to the ledger, the dispatcher as in production. Every case checks that
// each event arrived at each subscription whose receiver works.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { EVENT_STREAM } from '@crm/contracts';
import { newId } from '@crm/database';
import { Pool } from 'undici';
import { besideRow, inRounds, median, percentile, residentMegabytes, setting } from '../measure.mjs';
import { DELIVERY_BODY, SUBSCRIPTIONS, untilReached, WebhookLab } from '../webhook-lab.mjs';
import { startSource } from '../webhook-source.mjs';

const ROUNDS = setting('ROUNDS', 3, 1);
const RELAYED = setting('WEBHOOK_RELAY_EVENTS', 10_000, 1000);
/** The events of one round; each becomes ten deliveries. */
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
/** Deliveries of the other tenants a second: few, so that only the queue can delay them. */
const QUEUE_RATE = setting('WEBHOOK_QUEUE_RATE', 200, 100);
const QUEUE_MS = setting('WEBHOOK_QUEUE_MS', 10_000, 1000);
/** Events a second of the tenant whose receiver works, and of the one whose receivers stall. */
const NEIGHBOUR_RATE = 50;
const STALLING_RATE = 5;
/** Receivers that stall. */
const STALLING = 5;
/** Events of a tenant that imports. */
const IMPORT = setting('WEBHOOK_IMPORT', 4000, 400);

/** Deliveries a second of the measurement of latency: half of what was measured, or of its target. */
let rateOfLatency = setting('WEBHOOK_RATE', SUSTAINED / 2);

/** Events a second that the relay brings from an outbox to JetStream, without a dispatcher. @param {import('../lab.mjs').Lab} lab */
async function relay(lab) {
  const source = await startSource(lab);
  // Asking for the stream is the provisioner's right, which no service has.
  const { connection } = await lab.nats('provisioner');
  const position = async () => {
    const answer = await connection.request(`$JS.API.STREAM.INFO.${EVENT_STREAM.name}`);
    return Number(/** @type {any} */ (answer.json()).state.last_seq);
  };
  const rates = await inRounds(1 + ROUNDS, async () => {
    await source.commitAll([newId()], RELAYED);
    const end = (await position()) + RELAYED;
    const begun = performance.now();
    source.startRelay();
    await untilReached('events in the stream', end, position, 10);
    const rate = RELAYED / ((performance.now() - begun) / 1000);
    await source.stopRelay();
    return rate;
  });
  // The first round warms it up.
  return [{ name: 'outbox relay: events', unit: '/s', ours: median(rates.slice(1)), atLeast: 5000 }];
}

/** The upper bound: undici alone sends the same requests to the same receiver. No events, no ledger, no signatures, no checks of
 * addresses. Gives requests a second. @param {WebhookLab} webhooks */
async function bareLoop(webhooks) {
  const { parts } = webhooks;
  const options = { connections: BARE_CONNECTIONS, connect: { ca: await readFile(parts.caFile, 'utf8') } };
  const pools = parts.origins.map((origin) => new Pool(origin, options));
  return async () => {
    const begun = performance.now();
    let requests = 0;
    const use = async (/** @type {Pool} */ pool, /** @type {number} */ index) => {
      while (performance.now() < begun + BARE_MS) {
        const headers = { ...HEADERS, 'webhook-id': randomUUID() };
        const answer = await pool.request({ method: 'POST', path: `/ok/bare/${index}`, headers, body: DELIVERY_BODY });
        await answer.body.arrayBuffer();
        if (answer.statusCode !== 200) throw new Error(`The receiver answered ${answer.statusCode}`);
        requests += 1;
      }
    };
    await Promise.all(pools.flatMap((pool, index) => Array.from({ length: BARE_CONNECTIONS }, () => use(pool, index))));
    const rate = (requests / (performance.now() - begun)) * 1000;
    await webhooks.forget();
    return rate;
  };
}

/** Deliveries a second of a backlog until each is in the ledger, next to undici alone, which sends the same. @param {WebhookLab} webhooks */
async function throughput(webhooks) {
  const sendBare = await bareLoop(webhooks);
  await inRounds(BARE_WARM_UPS, sendBare);
  await deliverBacklog(webhooks, Math.ceil(EVENTS / 4));
  const all = await inRounds(ROUNDS, async () => {
    const bare = await sendBare();
    return { bare, rate: await deliverBacklog(webhooks, EVENTS) };
  });
  const [rates, bare] = [all.map((round) => round.rate), all.map((round) => round.bare)];
  if (!process.env.BENCH_WEBHOOK_RATE) rateOfLatency = median(rates) / 2;
  const name = `durable deliveries of ${EVENTS} events`;
  return [
    { name, unit: '/s', ours: median(rates), atLeast: SUSTAINED },
    besideRow(`${name}, beside undici alone`, '/s', rates, bare, { atLeast: 0.1 }),
  ];
}

/** One round: events wait in the outbox, the relay is started, and the end is when the ledger has all as delivered.
 * @param {WebhookLab} webhooks @param {number} events */
async function deliverBacklog(webhooks, events) {
  const { source, steady, tenth } = webhooks;
  await webhooks.forget();
  await source.commitAll(webhooks.tenantIds, events);
  const deliveries = events * SUBSCRIPTIONS;
  const before = await webhooks.count('delivered');
  const shown = await webhooks.delivered();

  const begun = performance.now();
  source.startRelay();
  await untilReached('deliveries', deliveries, () => webhooks.received());
  await untilReached('deliveries in the ledger', before + deliveries, () => webhooks.count('delivered'));
  const rate = deliveries / ((performance.now() - begun) / 1000);
  await source.stopRelay();

  await webhooks.latencies([...steady, ...tenth]);
  const more = (await webhooks.delivered()).map((total, index) => total - Number(shown[index]));
  const wanted = tenth.map(({ tenantId }) => source.commits.get(tenantId)?.length ?? 0);
  if (more.join() !== wanted.join()) throw new Error(`The API shows ${more} of ${wanted} deliveries of subscriptions`);
  return rate;
}

/** Milliseconds from the commit of an event to its receipt at a given rate; then the same with one of each tenant's ten endpoints
 * hanging. Rounds of both alternate. @param {WebhookLab} webhooks */
async function latency(webhooks) {
  const deliver = (/** @type {number} */ milliseconds) => deliverAtRate(webhooks, rateOfLatency, milliseconds);
  webhooks.source.startRelay();
  await deliver(Math.min(LATENCY_MS, 5000));
  const rounds = await inRounds(ROUNDS, async () => {
    const ok = await deliver(LATENCY_MS);
    await webhooks.replaceTenth('hang');
    const hang = await deliver(LATENCY_MS);
    await webhooks.replaceTenth('ok');
    // What hangs still would fall into the round without, as would deliveries without a subscription.
    await webhooks.untilNoneHangs();
    return { p50: median(ok), without: percentile(ok, 0.99), beside: percentile(hang, 0.99) };
  });
  await webhooks.source.stopRelay();
  const name = `event to receiver at ${Math.round(rateOfLatency)} deliveries a second`;
  const [without, beside] = [rounds.map((round) => round.without), rounds.map((round) => round.beside)];
  const hanging = `${name}, p99 of the healthy with a tenth hanging, beside without`;
  return [
    { name: `${name}, p50`, unit: 'ms', ours: median(rounds.map(({ p50 }) => p50)), atMost: 50 },
    { name: `${name}, p99`, unit: 'ms', ours: median(without), atMost: 250 },
    besideRow(hanging, 'ms', beside, without, { atMost: 1.5 }),
  ];
}

/** One round with the relay running: latencies at the nine endpoints of each tenant that always work.
 * @param {WebhookLab} webhooks @param {number} perSecond deliveries, those to endpoints that hang among them @param {number} milliseconds */
async function deliverAtRate(webhooks, perSecond, milliseconds) {
  const { source } = webhooks;
  await webhooks.forget();
  await source.commitAtRate(webhooks.tenantIds, perSecond / SUBSCRIPTIONS, milliseconds);
  const healthy = [...webhooks.steady, ...webhooks.tenth.filter(({ path }) => path.startsWith('/ok/'))];
  const deliveries = healthy.reduce((sum, { tenantId }) => sum + (source.commits.get(tenantId)?.length ?? 0), 0);
  await untilReached('deliveries', deliveries, () => webhooks.received());
  return (await webhooks.latencies(healthy)).slice(0, webhooks.steady.length).flat();
}

/** Many deliveries that are due at once drain at a steady rate in flat memory. @param {WebhookLab} webhooks */
async function due(webhooks) {
  const [dispatcher] = webhooks.parts.dispatcher.processes;
  const subscriptions = [...webhooks.steady, ...webhooks.tenth];
  const each = Math.ceil(DUE / subscriptions.length);
  const total = each * subscriptions.length;
  await webhooks.forget();
  const before = await webhooks.count('delivered');
  await webhooks.insertDue(subscriptions, each);
  /** When a part of them had been received, and what the dispatcher held then. */
  const at = async (/** @type {number} */ part) => {
    await untilReached('deliveries that were due', Math.ceil(total * part), () => webhooks.received());
    // Those that have come since the last look belong to the time.
    const [count, time] = [await webhooks.received(), performance.now()];
    return { count, time, memory: await residentMegabytes(Number(dispatcher?.pid)) };
  };
  const [begin, first, third, end] = [await at(0.001), await at(0.25), await at(0.75), await at(1)];
  await untilReached('deliveries in the ledger', before + total, () => webhooks.count('delivered'), 200);
  const rate = (/** @type {typeof begin} */ from, /** @type {typeof begin} */ to) =>
    ((to.count - from.count) / (to.time - from.time)) * 1000;
  const name = `${total} due deliveries`;
  const [early, late] = [rate(begin, first), rate(third, end)];
  const memory = `${name}: memory of the dispatcher at the end, beside the first quarter`;
  return [
    { name: `${name}, drained`, unit: '/s', ours: rate(begin, end) },
    besideRow(`${name}: rate of the last quarter, beside the first`, '/s', [late], [early], { atLeast: 0.9 }),
    besideRow(memory, 'MB', [end.memory], [first.memory], { atMost: 1.1 }),
  ];
}

/** What a large queue at an endpoint that fails does to other tenants. Last of all, because it stays. @param {WebhookLab} webhooks */
async function queue(webhooks) {
  const p99 = async () => percentile(await deliverAtRate(webhooks, QUEUE_RATE, QUEUE_MS), 0.99);
  const waiting = () => webhooks.count('pending', 'retrying');
  webhooks.source.startRelay();
  await p99();
  const without = median(await inRounds(ROUNDS, p99));
  const waitingBefore = await waiting();
  const failing = `${webhooks.parts.otherOrigins.at(-1)}/fail/queue`;
  await webhooks.insertDue([await webhooks.subscribe(newId(), failing)], QUEUE);
  const beside = median(await inRounds(ROUNDS, p99));
  const isLeft = (await waiting()) > waitingBefore;
  await webhooks.source.stopRelay();
  if (!isLeft) throw new Error('The queue was gone before the end; BENCH_WEBHOOK_QUEUE makes a larger one');
  const name = `p99 of other tenants' events beside ${QUEUE} queued deliveries of one that fails, and without`;
  return [{ name, unit: 'ms', ours: beside, baseline: without, atMost: 1.5 }];
}

/** Milliseconds from the commit to the receipt of a few events, beside the import of another tenant. @param {WebhookLab} webhooks */
async function beside(webhooks) {
  const { source, parts } = webhooks;
  const many = await webhooks.subscribe(newId(), `${parts.origins[0]}/ok/many`);
  const few = await webhooks.subscribe(newId(), `${parts.origins[1]}/ok/few`);
  source.startRelay();
  const rounds = await inRounds(1 + ROUNDS, async () => {
    await webhooks.forget();
    await Promise.all([source.commitAll([many.tenantId], IMPORT), source.commitAtRate([few.tenantId], 25, IMPORT / 2)]);
    await untilReached('deliveries', IMPORT + IMPORT / 80, () => webhooks.received());
    return (await webhooks.latencies([few])).flat();
  });
  await source.stopRelay();
  const name = `events of a tenant beside ${IMPORT} of another that imports, p50`;
  return [{ name, unit: 'ms', ours: median(rounds.slice(1).flat()), atMost: 50 }];
}

/** Milliseconds from the commit to the receipt of a tenant's events, beside another tenant whose receivers at the same origin never answer,
 * and without; rounds of both alternate. @param {WebhookLab} webhooks */
async function neighbours(webhooks) {
  const { source, parts } = webhooks;
  const [origin] = parts.origins;
  const healthy = await webhooks.subscribe(newId(), `${origin}/ok/neighbour`);
  const p99 = async (/** @type {string[]} */ ...others) => {
    await webhooks.forget();
    const rates = {
      [healthy.tenantId]: NEIGHBOUR_RATE,
      ...Object.fromEntries(others.map((id) => [id, STALLING_RATE])),
    };
    const commits = Object.entries(rates).map(([id, rate]) => source.commitAtRate([id], rate, LATENCY_MS));
    await Promise.all(commits);
    await untilReached('deliveries', source.commits.get(healthy.tenantId)?.length ?? 0, () => webhooks.received());
    return percentile((await webhooks.latencies([healthy])).flat(), 0.99);
  };
  const pending = await webhooks.count('pending');
  source.startRelay();
  await p99();
  const rounds = await inRounds(ROUNDS, async () => {
    const without = await p99();
    const tenantId = newId();
    const paths = Array.from({ length: STALLING }, (_, index) => `${origin}/hang/neighbour/${index}`);
    const stalling = await Promise.all(paths.map((url) => webhooks.subscribe(tenantId, url)));
    const beside = await p99(tenantId);
    await webhooks.unsubscribe(stalling);
    await webhooks.untilNoneHangs(pending);
    return { without, beside };
  });
  await source.stopRelay();
  const name = `neighbours at one origin: p99 of ${NEIGHBOUR_RATE} events a second beside ${STALLING} receivers that never answer, and without`;
  const [beside, without] = [rounds.map((round) => round.beside), rounds.map((round) => round.without)];
  return [besideRow(name, 'ms', beside, without, { atMost: 2 })];
}

const cases = { throughput, latency, beside, neighbours, due, queue };
export const suites = [{ cases: { relay } }, { start: WebhookLab.start, cases }];

// Hook calls a second, directly and through the gateway, next to a bare Fastify and pg server that makes a call durable by
// one insert, on the same Postgres: 32 connections, calls spread over 100 hooks of 20 tenants (and, in a row of their own, to
// a single one), a payload of some 500 bytes, with and without an Idempotency-Key. Ours also checks the secret, that the
// workflow is enabled, its rate, and queues the run, all of it durable before the answer. Short rounds of all alternate, and
// the ratio is that of one round, because the machine is shared. No runs are executed meanwhile: the service that accepts
// has RUN_CONCURRENCY=0.
//
// Then runs a second: a second process of the service executes what the first accepts, and the time counts from the first
// call until the queue is empty. Runs that are skipped by their condition, and runs with one step that creates a record, for
// which the measuring process answers at once in place of identity and custom-objects. There is nothing bare to compare
// with: these rows inform.
import { setTimeout as delay } from 'node:timers/promises';
import { alternate, detailRows, ratioOf } from '../alternation.mjs';
import { requestText, sendLoad, sendOne } from '../load.mjs';
import { median } from '../measure.mjs';
import { processorSeconds } from '../processor-time.mjs';
import { startSubjects } from './subjects.mjs';

const CONNECTIONS = 32;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7);
const ROUND_MS = 1000;
const WARM_UP_MS = Number(process.env.BENCH_WARM_UP_MS ?? 4000);
const TENANTS = 20;
const HOOKS_OF_TENANT = 5;
/** In each round of runs, about. */
const RUNS = Number(process.env.BENCH_RUNS ?? 5000);
const ROUNDS_OF_RUNS = 3;
/** A comma-separated choice of: calls, keyed, single, runs. */
const CHOSEN = process.env.BENCH_WORKS?.split(',');

const PAYLOAD = {
  type: 'order.paid',
  id: 'evt_1NG8Du2eZvKYlo2CUI79vXWy',
  created: 1_700_000_000,
  amount: 4200,
  currency: 'eur',
  customer: { id: 'cus_9s6XKzkNRiz8i3', name: 'Ada Lovelace', email: 'ada@example.com', phone: '+44 20 7946 0018' },
  items: [1, 2, 3].map((index) => ({
    sku: `A-${index}00`,
    quantity: index,
    description: 'Annual maintenance contract',
  })),
};

const ACTION = { type: 'create_record', object: 'lead', values: { lastName: '{{customer.name}}', source: '{{type}}' } };
const SKIPPED = { condition: 'amount == 0', actions: [ACTION] };
const CREATING = { actions: [ACTION] };

export async function measure() {
  const subjects = await startSubjects();
  try {
    const isChosen = (/** @type {string} */ name) => !CHOSEN || CHOSEN.includes(name);
    const hooks = await createHooks(subjects, SKIPPED);
    const rows = [];
    if (isChosen('calls')) rows.push(...(await compare(subjects, 'hook call', hooks, () => '')));
    if (isChosen('keyed')) rows.push(...(await compare(subjects, 'hook call with a key', hooks, newKey)));
    if (isChosen('single')) rows.push(...(await compare(subjects, 'hook call, one hook', hooks.slice(0, 1), () => '')));
    if (isChosen('runs')) rows.push(...(await measureRuns(subjects, hooks)));
    return rows;
  } finally {
    await subjects.stop();
  }
}

/** @typedef {Awaited<ReturnType<typeof startSubjects>>} Subjects */

let keys = 0;
const newKey = () => {
  keys += 1;
  return `idempotency-key: msg_${process.pid}_${keys}\r\n`;
};

/**
 * @param {Subjects} subjects
 * @param {object} workflow
 * @returns {Promise<string[]>} paths of the hooks, those of a tenant apart from each other
 */
async function createHooks({ direct, sign }, workflow) {
  const paths = [];
  for (let tenant = 0; tenant < TENANTS; tenant += 1) {
    const token = await sign(`0190a000-0000-7000-8000-${String(tenant + 1).padStart(12, '0')}`);
    for (let hook = 0; hook < HOOKS_OF_TENANT; hook += 1) {
      const body = { name: `Hook ${hook}`, trigger: { type: 'webhook_received' }, ...workflow };
      const request = requestText('POST', '/api/crm/automations/workflows', `authorization: Bearer ${token}\r\n`, body);
      const answer = await sendOne(direct.port, request);
      if (answer.status !== 201) throw new Error(`A workflow was refused: ${answer.body}`);
      paths[hook * TENANTS + tenant] = new URL(JSON.parse(answer.body).hookUrl).pathname;
    }
  }
  return paths;
}

/**
 * @param {Subjects} subjects
 * @param {string} name
 * @param {readonly string[]} hooks
 * @param {() => string} header lines of the next request
 */
async function compare({ bare, direct, gateway, database }, name, hooks, header) {
  let turn = 0;
  const next = (/** @type {(path: string) => string} */ pathOf) => () => {
    turn += 1;
    return requestText('POST', pathOf(/** @type {string} */ (hooks[turn % hooks.length])), header(), PAYLOAD);
  };
  const ours = next((path) => path);
  const all = await alternate(
    [
      { subject: bare, next: next((path) => path.replace('/api/crm/automations', '')) },
      { subject: direct, next: ours },
      { subject: gateway, next: ours },
    ],
    { connections: CONNECTIONS, rounds: ROUNDS, roundMs: ROUND_MS, warmUpMs: WARM_UP_MS },
  );
  await database.clear();
  const baseline = /** @type {(typeof all)[number]} */ (all[0]);
  return all.flatMap((series) => [
    {
      name: `${name}: ${series.subject.name}`,
      unit: '/s',
      ours: series.rate,
      ...(series !== baseline && { baseline: baseline.rate, ratio: ratioOf(series, baseline) }),
    },
    ...detailRows(`${name}: ${series.subject.name}`, series),
  ]);
}

/**
 * @param {Subjects} subjects
 * @param {readonly string[]} skipping hooks of workflows whose condition is not met
 */
async function measureRuns(subjects, skipping) {
  const creating = await createHooks(subjects, CREATING);
  const parts = [
    { name: 'runs accepted and skipped by their condition', hooks: skipping },
    { name: 'runs accepted and finished, one step that creates a record', hooks: creating },
  ];
  const worker = await subjects.startWorker();
  const subject = {
    ...subjects.direct,
    processes: [...subjects.direct.processes, { ...worker, name: 'process that executes' }],
  };
  // The compiler sees each path before anything counts.
  for (const { hooks } of parts) await acceptAndFinish(subjects, hooks);
  const rows = [];
  for (const { name, hooks } of parts) {
    const rates = [];
    let runs = 0;
    const before = await processorSeconds(subject);
    for (let round = 0; round < ROUNDS_OF_RUNS; round += 1) {
      const { accepted, milliseconds } = await acceptAndFinish(subjects, hooks);
      runs += accepted;
      rates.push((accepted / milliseconds) * 1000);
    }
    rows.push({ name, unit: '/s', ours: median(rates) });
    for (const [process, seconds] of await processorSeconds(subject)) {
      const spent = seconds - (before.get(process) ?? 0);
      rows.push({ name: `${name}, processor time a run: ${process}`, unit: 'µs', ours: (spent / runs) * 1e6 });
    }
  }
  return rows;
}

/**
 * @param {Subjects} subjects
 * @param {readonly string[]} hooks
 * @returns {Promise<{ accepted: number, milliseconds: number }>}
 */
async function acceptAndFinish(subjects, hooks) {
  const begun = performance.now();
  const accepted = await accept(subjects, hooks);
  while ((await subjects.database.unfinished()) > 0) await delay(20);
  return { accepted, milliseconds: performance.now() - begun };
}

/**
 * @param {Subjects} subjects
 * @param {readonly string[]} hooks
 * @returns {Promise<number>} calls that were accepted
 */
async function accept({ direct }, hooks) {
  let sent = 0;
  while (sent < RUNS) {
    const next = () => {
      sent += 1;
      return requestText('POST', /** @type {string} */ (hooks[sent % hooks.length]), '', PAYLOAD);
    };
    await sendLoad({ port: direct.port, next, connections: CONNECTIONS, milliseconds: 200 });
  }
  return sent;
}

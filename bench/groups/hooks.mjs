// Hook calls next to a bare Fastify and pg server that makes a call durable by one insert, on the same PostgreSQL. Ours also
// checks the secret, that the workflow is enabled, its rate, and queues the run. No runs are executed meanwhile.
// Then runs: a second process executes what the first accepts, until the queue is empty. These rows inform.
import { setTimeout as delay } from 'node:timers/promises';
import { rpc } from '@crm/contracts';
import { NatsConnection } from '@crm/messaging';
import { NO_LIMIT, PASSWORD, setting } from '../lab.mjs';
import {
  compare,
  counter,
  countProcessorTime,
  inTurn,
  PLAN,
  processorRows,
  requestText,
  sendLoad,
  sendOne,
} from '../load.mjs';
import { median } from '../measure.mjs';

/** @typedef {Awaited<ReturnType<typeof start>>} Subjects */

const PLAN_OF_CALLS = { ...PLAN, warmUpMs: setting('WARM_UP_MS', 4000, 200), warmUpRequests: 0 };
const TENANTS = 20;
const HOOKS_OF_TENANT = 5;
/** In each round of runs, about. */
const RUNS = setting('RUNS', 5000, 200);
const ROUNDS_OF_RUNS = setting('ROUNDS', 3, 1);

/** Some 500 bytes. */
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

/** @param {import('../lab.mjs').Lab} lab */
async function start(lab) {
  const { environment, admin, adminUrl } = await lab.database('automation-hooks');
  await admin.query(
    'CREATE TABLE bare_run (id uuid PRIMARY KEY, workflow_id uuid NOT NULL, input json NOT NULL, created_at timestamptz NOT NULL DEFAULT now())',
  );
  const { process: postgres } = await lab.postgres();
  const bare = await lab.bare('hooks', 'bare Fastify + pg', { DATABASE_URL: adminUrl }, [postgres]);
  const identity = await lab.identity();
  await answerCalls(lab);
  const limits = { HOOK_CALLS_PER_TEN_SECONDS: NO_LIMIT, RUNS_PER_MINUTE: NO_LIMIT, HOOK_BASE_URL: 'http://127.0.0.1' };
  const startService = (/** @type {string} */ concurrency) =>
    lab.service('automation-hooks', { ...environment, ...limits, RUN_CONCURRENCY: concurrency });
  const service = await startService('0');
  const gateway = await lab.gateway({ AUTOMATIONS_URL: service.url, IDENTITY_URL: identity.url });
  const direct = { name: 'service, direct', port: service.port, processes: [service.process, postgres] };
  const createHooks = async (/** @type {object} */ workflow) => {
    /** Those of a tenant apart from each other. @type {string[]} */
    const paths = [];
    for (let tenant = 0; tenant < TENANTS; tenant += 1) {
      const token = lab.authorization(`0190a000-0000-7000-8000-${String(tenant + 1).padStart(12, '0')}`);
      for (let hook = 0; hook < HOOKS_OF_TENANT; hook += 1) {
        const body = { name: `Hook ${hook}`, trigger: { type: 'webhook_received' }, ...workflow };
        const answer = await sendOne(direct.port, requestText('POST', '/api/crm/automations/workflows', token, body));
        if (answer.status !== 201) throw new Error(`A workflow was refused: ${answer.body}`);
        paths[hook * TENANTS + tenant] = new URL(JSON.parse(answer.body).hookUrl).pathname;
      }
    }
    return paths;
  };
  return {
    bare,
    direct,
    gateway: {
      name: 'service, through the gateway',
      port: gateway.port,
      processes: [gateway.process, service.process, postgres],
    },
    admin,
    hooks: await createHooks(SKIPPED),
    createHooks,
    startWorker: () => startService(process.env.BENCH_RUN_CONCURRENCY ?? '32'),
  };
}

/** What runs call is answered by this process at once: identity makes no token and custom-objects writes no record. @param {import('../lab.mjs').Lab} lab */
async function answerCalls(lab) {
  const { url } = await lab.broker();
  for (const [service, { subject }, data] of /** @type {const} */ ([
    ['identity', rpc.identity.mintInternalToken, { token: 'token', expiresIn: 60 }],
    ['custom-objects', rpc.customObjects.createRecord, { id: '0190a000-0000-7000-8000-000000000001' }],
  ])) {
    const connection = await NatsConnection.open({ url, user: service, password: PASSWORD, service });
    const reply = JSON.stringify({ ok: true, data });
    connection.connection.subscribe(subject, { callback: (_error, message) => void message.respond(reply) });
    lab.stops.push(() => connection.close());
  }
}

/** @param {string} name @param {Subjects} subjects @param {readonly string[]} hooks @param {() => string} header line of the next call */
async function compareCalls(name, { bare, direct, gateway, admin }, hooks, header) {
  const hook = inTurn(hooks);
  const ours = () => requestText('POST', hook(), header(), PAYLOAD);
  const theirs = () => requestText('POST', hook().replace('/api/crm/automations', ''), header(), PAYLOAD);
  const sides = [
    { subject: bare, next: theirs },
    { subject: direct, next: ours },
    { subject: gateway, next: ours },
  ];
  const rows = await compare(name, sides, PLAN_OF_CALLS);
  // What one case leaves does not burden the next.
  await admin.query('TRUNCATE run, run_step, run_queue, bare_run');
  return rows;
}

/** @param {Subjects} subjects */
async function runs({ direct, admin, hooks, createHooks, startWorker }) {
  const parts = [
    { name: 'runs accepted and skipped by their condition', hook: inTurn(hooks) },
    { name: 'runs accepted and finished, one step that creates a record', hook: inTurn(await createHooks(CREATING)) },
  ];
  const { process: worker } = await startWorker();
  const processes = [...direct.processes, { ...worker, name: 'process that executes' }];
  const acceptAndFinish = async (/** @type {() => string} */ hook) => {
    const begun = performance.now();
    let accepted = 0;
    const next = () => requestText('POST', hook(), '', PAYLOAD);
    const load = { port: direct.port, next, connections: PLAN.connections, milliseconds: 200 };
    while (accepted < RUNS) accepted += (await sendLoad(load)).requests;
    const waiting = () => admin.query('SELECT FROM run_queue LIMIT 1');
    while ((await waiting()).rowCount !== 0) await delay(20);
    return { accepted, rate: (accepted / (performance.now() - begun)) * 1000 };
  };
  // The compiler sees each path before anything counts.
  for (const { hook } of parts) await acceptAndFinish(hook);
  const rows = [];
  for (const { name, hook } of parts) {
    const spent = await countProcessorTime(processes);
    const rounds = [];
    for (let round = 0; round < ROUNDS_OF_RUNS; round += 1) rounds.push(await acceptAndFinish(hook));
    rows.push({ name, unit: '/s', ours: median(rounds.map(({ rate }) => rate)) });
    const all = rounds.reduce((sum, { accepted }) => sum + accepted, 0);
    rows.push(...processorRows(`${name}, processor time a run`, [await spent()], all));
  }
  return rows;
}

const key = counter();

/** @type {Record<string, (subjects: Subjects) => Promise<import('../load.mjs').Row[]>>} */
const cases = {
  calls: (all) => compareCalls('hook call', all, all.hooks, () => ''),
  keyed: (all) =>
    compareCalls('hook call with a key', all, all.hooks, () => `idempotency-key: msg_${process.pid}_${key()}\r\n`),
  single: (all) => compareCalls('hook call, one hook', all, all.hooks.slice(0, 1), () => ''),
  runs,
};

export const suites = [{ start, cases }];

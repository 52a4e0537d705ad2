// Hook calls next to a bare Fastify and pg server that makes a call durable by one insert, on the same PostgreSQL. Ours also
// checks the secret, that the workflow is enabled, its rate, and queues the run. No runs are executed meanwhile.
// Then runs: a second process executes what the first accepts, until the queue is empty. These rows inform.
import { setTimeout as delay } from 'node:timers/promises';
import { rpc } from '@crm/contracts';
import { NO_LIMIT } from '../lab.mjs';
import { ask, compare, counter, inTurn, requestText, SLOWER_PLAN, sendLoad } from '../load.mjs';
import { inRounds, median, setting } from '../measure.mjs';

/** @typedef {Awaited<ReturnType<typeof start>>} Subjects */

const TENANTS = 20;
const HOOKS_OF_TENANT = 5;
/** In each round of runs, about. */
const RUNS = setting('RUNS', 5000, 200);
const ROUNDS_OF_RUNS = setting('ROUNDS', 3, 1);
const LIMITS = {
  HOOK_CALLS_PER_TEN_SECONDS: NO_LIMIT,
  RUNS_PER_MINUTE: NO_LIMIT,
  RUNS_QUEUED_PER_TENANT: NO_LIMIT,
  HOOK_BASE_URL: 'http://127.0.0.1',
};

/** Some 500 bytes. */
const PAYLOAD = {
  type: 'order.paid',
  id: 'evt_1NG8Du2eZvKYlo2CUI79vXWy',
  created: 1_700_000_000,
  amount: 4200,
  currency: 'eur',
  customer: { id: 'cus_9s6XKzkNRiz8i3', name: 'Ada Lovelace', email: 'ada@example.com', phone: '+44 20 7946 0018' },
  items: [1, 2, 3].map((n) => ({ sku: `A-${n}00`, quantity: n, description: 'Annual maintenance contract' })),
};

const ACTION = { type: 'create_record', object: 'lead', values: { lastName: '{{customer.name}}', source: '{{type}}' } };
const SKIPPED = { condition: 'amount == 0', actions: [ACTION] };
const CREATING = { actions: [ACTION] };

/** @param {import('../lab.mjs').Lab} lab */
async function start(lab) {
  const { environment, admin } = await lab.database('automation-hooks');
  await admin.query(
    'CREATE TABLE bare_run (id uuid PRIMARY KEY, workflow_id uuid NOT NULL, input json NOT NULL, created_at timestamptz NOT NULL DEFAULT now())',
  );
  // What runs call is answered by this process at once: identity makes no token and custom-objects writes no record.
  await lab.answer(rpc.identity.mintInternalToken, () => ({ token: 'token', expiresIn: 60 }));
  await lab.answer(rpc.customObjects.createRecord, () => ({ id: '0190a000-0000-7000-8000-000000000001' }));
  const sides = await lab.beside('automation-hooks', 'AUTOMATIONS_URL', 'hooks', { ...LIMITS, RUN_CONCURRENCY: '0' });
  const createHooks = async (/** @type {object} */ workflow) => {
    /** @type {string[]} */
    const paths = [];
    // Those of a tenant apart from each other.
    for (let hook = 0; hook < TENANTS * HOOKS_OF_TENANT; hook += 1) {
      const tenant = `0190a000-0000-7000-8000-${String(hook % TENANTS).padStart(12, '0')}`;
      const body = { name: `Hook ${hook}`, trigger: { type: 'webhook_received' }, ...workflow };
      const request = requestText('POST', '/api/crm/automations/workflows', lab.authorization(tenant), body);
      paths.push(new URL((await ask(sides.direct.port, request)).hookUrl).pathname);
    }
    return paths;
  };
  return {
    ...sides,
    admin,
    hooks: await createHooks(SKIPPED),
    createHooks,
    startWorker: () => lab.service('automation-hooks', { ...environment, ...LIMITS, RUN_CONCURRENCY: '32' }),
  };
}

/** @param {string} name @param {{ count?: number, header?: () => string }} [options] count: of the hooks; header: line of the next call */
const calls =
  (name, { count, header = () => '' } = {}) =>
  async (/** @type {Subjects} */ { bare, direct, gateway, admin, hooks }) => {
    const hook = inTurn(hooks.slice(0, count));
    const next = () => requestText('POST', hook(), header(), PAYLOAD);
    const theirs = () => requestText('POST', hook().replace('/api/crm/automations', ''), header(), PAYLOAD);
    const sides = [
      { ...bare, next: theirs },
      { ...direct, next },
      { ...gateway, next },
    ];
    const rows = await compare(name, sides, SLOWER_PLAN);
    // What one case leaves does not burden the next.
    await admin.query('TRUNCATE run, run_step, run_queue, bare_run');
    return rows;
  };

/** @param {Subjects} subjects */
async function runs({ direct, admin, hooks, createHooks, startWorker }) {
  await startWorker();
  const rows = [];
  for (const [name, paths] of /** @type {const} */ ([
    ['runs accepted and skipped by their condition', hooks],
    ['runs accepted and finished, one step that creates a record', await createHooks(CREATING)],
  ])) {
    const hook = inTurn(paths);
    const load = { port: direct.port, next: () => requestText('POST', hook(), '', PAYLOAD), milliseconds: 200 };
    const rates = await inRounds(1 + ROUNDS_OF_RUNS, async () => {
      const begun = performance.now();
      let accepted = 0;
      while (accepted < RUNS) accepted += (await sendLoad(load)).requests;
      while ((await admin.query('SELECT FROM run_queue LIMIT 1')).rowCount !== 0) await delay(20);
      return (accepted / (performance.now() - begun)) * 1000;
    });
    // The first round warms it up.
    rows.push({ name, unit: '/s', ours: median(rates.slice(1)) });
  }
  return rows;
}

const key = counter();

const cases = {
  calls: calls('hook call'),
  keyed: calls('hook call with a key', { header: () => `idempotency-key: msg_${process.pid}_${key()}\r\n` }),
  single: calls('hook call, one hook', { count: 1 }),
  runs,
};

export const suites = [{ start, cases }];

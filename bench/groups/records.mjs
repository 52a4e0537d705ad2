// Reading, listing, creating and changing records through the gateway, next to bare Fastify and pg on the same PostgreSQL, and
// what workspaces, formulas, searches and many requests cost.
import { randomUUID } from 'node:crypto';
import { CORE_OBJECTS } from '@crm/contracts';
import { finding } from '../finding.mjs';
import {
  alternate,
  compare,
  counter,
  inTurn,
  PLAN,
  requestText,
  SLOWER_PLAN,
  sendLoad,
  sendLoadApart,
} from '../load.mjs';
import { besideRow, inRounds, median, percentile, residentMegabytes, setting } from '../measure.mjs';
import { API_NAME, fill, LONG_API_NAME, newLead, newRecord, PLAIN_API_NAME, RECORDS } from '../records-data.mjs';

/** @typedef {Awaited<ReturnType<typeof startRecords>>} Subjects */
/** @typedef {import('../load.mjs').Side} Side */

const MEMORY_REQUESTS = setting('MEMORY_REQUESTS', 200_000, 2000);
const SEARCH_MS = setting('SEARCH_MS', 2000, 200);
const SEARCH_ROUNDS = setting('ROUNDS', 5, 1);
const [QUIET, NOISY] = [2, 48];
/** How a quiet workspace reads on each connection: as fast as it is answered, or as people do; what the other keeps beside it at least. */
const READERS = [
  { how: 'without a pause', everyMs: 0, keeps: undefined },
  { how: '20 times a second', everyMs: 50, keeps: 0.8 },
];

/** An object of so many records has no search that is not bounded. */
const BOUNDED_RECORDS = 10_000;
const NOBODYS_LETTERS = 'two letters that nobody has';

/** What is searched, by how many leads have it. @type {Readonly<Record<string, (turn: number) => string>>} */
const SEARCHES = {
  'a word that nobody has': () => 'zzzz',
  'a word of one lead': (turn) => `lead${(turn * 7919) % RECORDS}@`,
  'a word of every third lead': () => 'contacted',
  'two letters of every lead': () => 'lo',
  [NOBODYS_LETTERS]: () => 'zz',
};
/** Which of them, with their number of connections behind a comma, are measured, and which lists. */
const MEASURED = new RegExp(process.env.BENCH_SEARCHES ?? '');
/** Lists of leads whose total costs a tenth at most. */
const COUNTED = { 'the newest leads': 'size=25', 'leads by name': 'sort=lastName' };

/** Address of the records of a custom object. */
export const recordsOf = (apiName = API_NAME) => `/api/crm/custom/${apiName}/records`;

/** @param {import('../lab.mjs').Lab} lab */
export async function startRecords(lab) {
  const { admin } = await lab.database('custom-objects');
  const data = await fill(admin, lab.tenantId);
  return { lab, data, admin, ...(await lab.beside('custom-objects', 'CUSTOM_OBJECTS_URL', 'records')) };
}

/** What is asked for; query: of a list, up to the value, when it is not our API's.
 * @typedef {{ of: 'records' | 'leads', path: string, filter: string, query?: string, changed: string, create: (turn: number) => object }} Kind */
/** @type {Kind} */
const CUSTOM = { of: 'records', path: recordsOf(), filter: 'code', changed: 'text_1', create: newRecord };
/** @type {Kind} */
const LEAD = { of: 'leads', path: '/api/crm/leads', filter: 'companyName', changed: 'firstName', create: newLead };

/** What gives the next request, by what it does. @param {import('../lab.mjs').Lab} lab @param {Kind} kind
 * @param {{ ids: readonly string[], filters?: readonly string[], tenant?: string }} data */
function requestsOf(lab, { path, filter, query, changed, create }, { ids, filters = [], tenant }) {
  const list = `${path}?${query ?? `filterField=${filter}&filterValue=`}`;
  const [id, value, turn] = [inTurn(ids), inTurn(filters), counter()];
  /** @param {string} method @param {string} where @param {object} [body] */
  const send = (method, where, body, headers = '') =>
    requestText(method, where, lab.authorization(tenant) + headers, body);
  /** Pages send a key with each write. */
  const key = () => `idempotency-key: ${randomUUID()}\r\n`;
  return {
    read: () => send('GET', `${path}/${id()}`),
    list: () => send('GET', list + value()),
    create: () => send('POST', path, create(turn()), key()),
    change: () => send('PATCH', `${path}/${id()}`, { [changed]: `Changed ${turn()}` }),
  };
}

/** Smallest ratios to the bare server, through the gateway. */
const AT_LEAST = { read: 0.6, list: 0.6, create: 0.35, change: 0.35 };
const WORKS = /** @type {(keyof typeof AT_LEAST)[]} */ (Object.keys(AT_LEAST));

/** @param {string} name @param {Kind} kind @param {keyof typeof AT_LEAST} work */
const measure =
  (name, kind, work) =>
  (/** @type {Subjects} */ { lab, data, bare, direct, gateway }) => {
    const next = requestsOf(lab, kind, data[kind.of])[work];
    const ofBare = { ...kind, path: `/${kind.of}`, query: 'stage=' };
    const sides = [
      { ...bare, next: requestsOf(lab, ofBare, data[kind.of])[work] },
      { ...direct, next },
      { ...gateway, next, atLeast: AT_LEAST[work] },
    ];
    return compare(name, sides, SLOWER_PLAN);
  };

/** Every work spread over many workspaces, next to that of one. @param {Subjects} subjects */
async function workspaces({ lab, data, gateway }) {
  const works = data.workspaces.map((workspace) => requestsOf(lab, CUSTOM, workspace));
  const rows = [];
  for (const work of WORKS) {
    const next = inTurn(works.map((one) => one[work]));
    const sides = [
      { ...gateway, name: 'one workspace', next: next() },
      { ...gateway, name: `${works.length} workspaces in turn`, next: () => next()(), atLeast: 0.85 },
    ];
    rows.push(...(await compare(`${work} through the gateway`, sides, SLOWER_PLAN)));
  }
  return rows;
}

/** The slowest calls of many workspaces at half of their full rate, beside those of one connection alone. @param {Subjects} subjects */
async function halfLoad({ lab, data, gateway: { port } }) {
  const works = data.workspaces.map((workspace) => requestsOf(lab, CUSTOM, workspace));
  const rows = [];
  for (const work of WORKS) {
    const of = inTurn(works.map((one) => one[work]));
    const load = (/** @type {object} */ more) =>
      sendLoad({ port, next: () => of()(), milliseconds: SEARCH_MS, ...more });
    await load({});
    const rounds = await inRounds(SEARCH_ROUNDS, async () => {
      const full = await load({});
      const half = await load({ everyMs: (2000 * PLAN.connections * full.seconds) / full.requests });
      const alone = await load({ connections: 1 });
      return [half, alone].map(({ latencies }) => percentile(latencies, 0.99));
    });
    const [half, alone] = [0, 1].map((side) => rounds.map((round) => Number(round[side])));
    const title = `${work} of ${works.length} workspaces at half load, beside one at a time, p99`;
    rows.push(besideRow(title, 'ms', half ?? [], alone ?? [], { atMost: 2.5 }));
  }
  return rows;
}

/** A page of 200 records with 2 formulas, which may add 15 % to one of the same bytes whose records store the values.
 * @param {Subjects} subjects */
async function formulas({ lab, direct }) {
  const sides = [PLAIN_API_NAME, API_NAME].map((apiName) => ({
    ...direct,
    next: () => requestText('GET', `${recordsOf(apiName)}?size=200&count=none`, lab.authorization()),
  }));
  const [plain, computed = plain] = await alternate(sides, { ...SLOWER_PLAN, connections: 4 });
  const name = 'page of 200 with 2 formulas, beside stored values: service, direct';
  return [besideRow(name, '/s', computed.rates, plain.rates, { atLeast: 0.87 })];
}

/** Searches, with their totals, beside a trigram index that finds the newest 25, and lists with their totals and without.
 * @param {Subjects} subjects */
async function search({ lab, bare, gateway }) {
  const get = (/** @type {string} */ path) => requestText('GET', path, lab.authorization());
  /** @param {string} name @param {Side} other @param {Side} side @param {number} connections */
  const beside = async (name, other, side, connections) => {
    const plan = { ...SLOWER_PLAN, connections, rounds: SEARCH_ROUNDS };
    return compare(`${name}, ${connections} connections`, [other, side], plan);
  };
  const rows = [];
  for (const connections of [1, 32]) {
    for (const [name, q] of Object.entries(SEARCHES)) {
      if (!MEASURED.test(`${name}, ${connections}`)) continue;
      // No index bounds it, so that of a workspace two at once are answered.
      if (connections > 1 && RECORDS > BOUNDED_RECORDS && q === SEARCHES[NOBODYS_LETTERS]) continue;
      const turn = counter();
      const text = () => encodeURIComponent(q(turn()));
      const ofBare = () => get(`/leads/search?tenant=${lab.tenantId}&object=${CORE_OBJECTS.lead.id}&q=${text()}`);
      const ours = { ...gateway, next: () => get(`${LEAD.path}?q=${text()}`), atLeast: 0.5 };
      const title = `search of ${RECORDS} leads for ${name}`;
      rows.push(...(await beside(title, { ...bare, next: ofBare }, ours, connections)));
    }
  }
  for (const [name, query] of Object.entries(COUNTED)) {
    if (!MEASURED.test(name)) continue;
    const list = (/** @type {string} */ count) => () => get(`${LEAD.path}?${query}${count}`);
    const counted = { ...gateway, name: 'with their total', next: list(''), atLeast: 0.9 };
    rows.push(...(await beside(name, { ...gateway, name: 'without a total', next: list('&count=none') }, counted, 32)));
  }
  return rows;
}

/** Reads of a workspace beside what another does, and what that is left of it. @param {Subjects} subjects */
async function neighbour({ lab, data, gateway: { port } }) {
  const long = recordsOf(LONG_API_NAME);
  const get = (/** @type {string} */ path) => requestText('GET', path, lab.authorization());
  const noises = Object.entries({
    'changes of one record of 20 kB': requestsOf(lab, { ...CUSTOM, path: long }, { ids: [data.hot] }).change,
    'lists of 60 records of 20 kB': () => get(`${long}?size=60`),
    'searches for zzzz': () => get(`${recordsOf()}?q=zzzz`),
  });
  const { ids, tenant } = data.workspaces[0] ?? { ids: [] };
  const { read } = requestsOf(lab, CUSTOM, { ids, tenant });
  const quiet = (/** @type {number} */ everyMs) =>
    sendLoadApart({ port, requests: ids.map(read), connections: QUIET, milliseconds: SEARCH_MS, everyMs });
  const rows = [];
  for (const [name, next] of noises) {
    const noise = () => sendLoad({ port, next, connections: NOISY, milliseconds: SEARCH_MS });
    await Promise.all([noise(), quiet(0)]);
    for (const { how, everyMs, keeps } of READERS) {
      const rounds = await inRounds(SEARCH_ROUNDS, async () => {
        const alone = await noise();
        const [beside, reads] = await Promise.all([noise(), quiet(everyMs)]);
        return { ours: beside.requests / beside.seconds, other: alone.requests / alone.seconds, reads };
      });
      const latencies = rounds.flatMap(({ reads }) => reads.latencies);
      const title = `reads on ${QUIET} connections ${how}, beside ${name} on ${NOISY} of another workspace`;
      const [ours, other] = [rounds.map((round) => round.ours), rounds.map((round) => round.other)];
      rows.push(
        { name: title, unit: '/s', ours: median(rounds.map(({ reads }) => reads.requests / reads.seconds)) },
        { name: `${title}, p50`, unit: 'ms', ours: median(latencies) },
        { name: `${title}, p99`, unit: 'ms', ours: percentile(latencies, 0.99), atMost: 50 },
        besideRow(`${name} beside those reads, and alone`, '/s', ours, other, { atLeast: keeps }),
      );
    }
  }
  return rows;
}

/** What the processes hold after many requests, of ten one list, one creation and one change. @param {Subjects} subjects */
async function memory({ lab, data, gateway }) {
  const { read, list, create, change } = requestsOf(lab, CUSTOM, data.records);
  const next = inTurn([create, change, list, ...Array.from({ length: 7 }, () => read)]);
  let sent = 0;
  const after = async (/** @type {number} */ requests) => {
    while (sent < requests) {
      const load = { port: gateway.port, next: () => next()(), milliseconds: SEARCH_MS };
      sent += (await sendLoad(load)).requests;
    }
    return Promise.all(gateway.processes.map(({ pid }) => residentMegabytes(pid)));
  };
  const early = await after(MEMORY_REQUESTS / 4);
  const late = await after(MEMORY_REQUESTS);
  return gateway.processes.map(({ name }, index) => {
    const title = `memory after ${sent} requests, beside that after ${MEMORY_REQUESTS / 4}: ${name}`;
    return besideRow(title, 'MB', [Number(late[index])], [Number(early[index])], { atMost: 1.1 });
  });
}

/** What is written changes what a search finds, so writes come last. */
const cases = {
  read: measure('read', CUSTOM, 'read'),
  list: measure('list', CUSTOM, 'list'),
  'lead-read': measure('lead read', LEAD, 'read'),
  'lead-list': measure('lead list', LEAD, 'list'),
  formulas,
  search,
  neighbour,
  workspaces,
  'half-load': halfLoad,
  create: measure('create', CUSTOM, 'create'),
  change: measure('change', CUSTOM, 'change'),
  'lead-create': measure('lead create', LEAD, 'create'),
  'lead-change': measure('lead change', LEAD, 'change'),
  memory,
};

export const suites = [{ start: startRecords, cases }, ...finding];

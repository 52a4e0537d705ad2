// Reading, listing, creating and changing records through the gateway, next to bare Fastify and pg on the same PostgreSQL, and
// what workspaces, formulas, searches and many requests cost.
import { FORMS } from '../found-forms.mjs';
import { alternate, ask, compare, counter, inTurn, requestText, SLOWER_PLAN, sendLoad } from '../load.mjs';
import { besideRow, inRounds, median, percentile, residentMegabytes, setting } from '../measure.mjs';
import {
  API_NAME,
  fill,
  fillFound,
  LONG_API_NAME,
  newLead,
  newRecord,
  PLAIN_API_NAME,
  RECORDS,
} from '../records-data.mjs';

/** @typedef {Awaited<ReturnType<typeof startRecords>>} Subjects */

const MEMORY_REQUESTS = setting('MEMORY_REQUESTS', 200_000, 2000);
const SEARCH_MS = setting('SEARCH_MS', 2000, 200);
const SEARCH_ROUNDS = setting('ROUNDS', 5, 1);
const [QUIET, NOISY] = [2, 48];

/** Texts by what they find, with the most milliseconds of the median. */
const SEARCHES = [
  { name: 'nothing', q: () => 'zzzz', atMost: 50 },
  { name: 'a few records', q: (/** @type {number} */ turn) => `visitor${(turn % 900) + 100}`, atMost: 25 },
  { name: 'two words of a few records', q: (/** @type {number} */ turn) => `number ${1000 + turn}`, atMost: 25 },
  { name: 'every third record', q: () => 'done', atMost: 25 },
  { name: 'every record', q: () => 'this record', atMost: 25 },
];

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
const LEAD = { of: 'leads', path: '/api/crm/leads', filter: 'source', changed: 'firstName', create: newLead };

/** What gives the next request, by what it does. @param {import('../lab.mjs').Lab} lab @param {Kind} kind
 * @param {{ ids: readonly string[], filters?: readonly string[], tenant?: string }} data */
function requestsOf(lab, { path, filter, query, changed, create }, { ids, filters = [], tenant }) {
  const list = `${path}?${query ?? `filterField=${filter}&filterValue=`}`;
  const [id, value, turn] = [inTurn(ids), inTurn(filters), counter()];
  /** @param {string} method @param {string} where @param {object} [body] */
  const send = (method, where, body) => requestText(method, where, lab.authorization(tenant), body);
  return {
    read: () => send('GET', `${path}/${id()}`),
    list: () => send('GET', list + value()),
    create: () => send('POST', path, create(turn())),
    change: () => send('PATCH', `${path}/${id()}`, { [changed]: `Changed ${turn()}` }),
  };
}

/** Smallest ratios to the bare server, through the gateway. */
const AT_LEAST = { read: 0.32, list: 0.45, create: 0.3, change: 0.25 };

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

/** Reads and creations spread over 32 workspaces, next to those of one. @param {Subjects} subjects */
async function workspaces({ lab, data, gateway }) {
  const works = data.workspaces.map((workspace) => requestsOf(lab, CUSTOM, workspace));
  const rows = [];
  for (const work of /** @type {const} */ (['read', 'create'])) {
    const next = inTurn(works.map((one) => one[work]));
    const sides = [
      { ...gateway, name: 'one workspace', next: next() },
      { ...gateway, name: `${works.length} workspaces in turn`, next: () => next()() },
    ];
    rows.push(...(await compare(`${work} through the gateway`, sides, SLOWER_PLAN)));
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

/** Searches through the gateway, one at a time. @param {Subjects} subjects */
async function search({ lab, gateway: { port } }) {
  const get = (/** @type {string} */ query) => requestText('GET', recordsOf() + query, lab.authorization());
  const load = async (/** @type {() => string} */ next, milliseconds = SEARCH_MS) =>
    (await sendLoad({ port, next, connections: 1, milliseconds })).latencies;
  const rows = [];
  for (const { name, q, atMost } of SEARCHES) {
    for (const counting of ['', 'count=none']) {
      const turn = counter();
      const next = () => get(`?q=${encodeURIComponent(q(turn()))}&${counting}`);
      await load(next, SEARCH_MS / 2);
      const title = `search of ${RECORDS} records that finds ${name}${counting && ', '}${counting}, p50`;
      rows.push({ name: title, unit: 'ms', ours: median(await load(next)), atMost });
    }
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
  const { read } = requestsOf(lab, CUSTOM, data.workspaces[0] ?? { ids: [] });
  const load = (/** @type {() => string} */ next, /** @type {number} */ connections) =>
    sendLoad({ port, next, connections, milliseconds: SEARCH_MS });
  const quiet = () => load(read, QUIET);
  const rows = [];
  for (const [name, next] of noises) {
    const noise = () => load(next, NOISY);
    await Promise.all([noise(), quiet()]);
    const rounds = await inRounds(SEARCH_ROUNDS, async () => {
      const alone = await noise();
      const [beside, reads] = await Promise.all([noise(), quiet()]);
      return { ours: beside.requests / beside.seconds, other: alone.requests / alone.seconds, reads: reads.latencies };
    });
    const latencies = rounds.flatMap(({ reads }) => reads);
    const title = `reads of a workspace on ${QUIET} connections, beside ${name} on ${NOISY} of another`;
    const [ours, other] = [rounds.map((round) => round.ours), rounds.map((round) => round.other)];
    rows.push(
      { name: `${title}, p50`, unit: 'ms', ours: median(latencies) },
      { name: `${title}, p99`, unit: 'ms', ours: percentile(latencies, 0.99), atMost: 50 },
      besideRow(`${name} on ${NOISY} connections beside those reads, and alone`, '/s', ours, other, { atLeast: 0.8 }),
    );
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
  create: measure('create', CUSTOM, 'create'),
  change: measure('change', CUSTOM, 'change'),
  'lead-create': measure('lead create', LEAD, 'create'),
  'lead-change': measure('lead change', LEAD, 'change'),
  memory,
};

/** @param {import('../lab.mjs').Lab} lab */
async function startFound(lab) {
  const { admin } = await lab.database('custom-objects');
  await fillFound(admin, lab.tenantId);
  return { lab, admin, ...(await lab.beside('custom-objects', 'CUSTOM_OBJECTS_URL', 'found')) };
}

/** Pages by each form of filter and sort that an index serves. @param {Awaited<ReturnType<typeof startFound>>} subjects */
async function found({ lab, admin, bare, gateway }) {
  const get = (/** @type {string} */ path) => requestText('GET', path, lab.authorization());
  const rows = [];
  for (const [form, { query, filter, after }] of Object.entries(FORMS)) {
    const path = `/api/crm/leads?count=none&${query}`;
    const column = filter ?? (after === 'none' ? 'NULL' : after);
    let pages = [{ ours: path, bare: '' }];
    if (column) {
      const sample = `SELECT id, ${column} AS value FROM bare_found WHERE ${after === 'none' ? 'phone IS NULL' : 'true'} ORDER BY random() LIMIT 500`;
      const records = (await admin.query(sample)).rows;
      const { nextCursor } = filter ? {} : await ask(gateway.port, get(path));
      const mark = nextCursor && JSON.parse(Buffer.from(nextCursor, 'base64url').toString())[0];
      pages = records.map(({ id, value }) => {
        const cursor = Buffer.from(JSON.stringify([mark, value, id])).toString('base64url');
        const bareValue = value === null ? '' : `value=${encodeURIComponent(value)}`;
        return filter
          ? { ours: `${path}&filterValue=${encodeURIComponent(value)}`, bare: bareValue }
          : { ours: `${path}&cursor=${cursor}`, bare: `${bareValue}&id=${id}` };
      });
    }
    const [ours, theirs] = [inTurn(pages), inTurn(pages)];
    const sides = [
      { ...bare, next: () => get(`/found/${encodeURIComponent(form)}?${theirs().bare}`) },
      { ...gateway, next: () => get(ours().ours) },
    ];
    const [baseline, measured = baseline] = await alternate(sides, SLOWER_PLAN);
    const name = `page of 25 of ${RECORDS} leads through the gateway, beside bare Fastify + pg: ${form}`;
    rows.push(besideRow(name, '/s', measured.rates, baseline.rates, { atLeast: 0.3 }));
  }
  return rows;
}

export const suites = [
  { start: startRecords, cases },
  { start: startFound, cases: { found } },
];

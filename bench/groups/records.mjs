// Reading, listing, creating and changing records through the gateway, next to bare Fastify and pg on the same PostgreSQL, and
// what workspaces, formulas, searches and many requests cost.
import { setting } from '../lab.mjs';
import {
  alternate,
  compare,
  counter,
  inTurn,
  PLAN,
  percentile,
  ratioOf,
  requestText,
  residentMegabytes,
  sendLoad,
} from '../load.mjs';
import { median } from '../measure.mjs';
import { API_NAME, fill, newLead, newRecord, PLAIN_API_NAME, RECORDS } from '../records-data.mjs';

/** @typedef {Awaited<ReturnType<typeof startRecords>>} Subjects */

const PLAN_OF_RECORDS = { ...PLAN, warmUpMs: setting('WARM_UP_MS', 4000, 200), warmUpRequests: 0 };
/** Smallest ratio to the bare server, through the gateway; of a standard object the same. */
const TARGETS = { read: 0.32, list: 0.45, create: 0.3, change: 0.25 };
/** Formulas may add 15 % to a page. */
const WITH_FORMULAS = 0.87;
const MEMORY_REQUESTS = setting('MEMORY_REQUESTS', 200_000, 2000);
const SEARCH_MS = setting('SEARCH_MS', 2000, 200);
const SEARCH_ROUNDS = setting('ROUNDS', 5, 1);
const READERS = 4;
const SEARCHERS = 8;

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
  const { environment, admin, adminUrl } = await lab.database('custom-objects');
  const data = await fill(admin, lab.tenantId);
  const { process: postgres } = await lab.postgres();
  const bare = await lab.bare('records', 'bare Fastify + pg', { DATABASE_URL: adminUrl }, [postgres]);
  const identity = await lab.identity();
  const service = await lab.service('custom-objects', environment);
  const gateway = await lab.gateway({ CUSTOM_OBJECTS_URL: service.url, IDENTITY_URL: identity.url });
  return {
    lab,
    data,
    admin,
    bare,
    direct: { name: 'service, direct', port: service.port, processes: [service.process, postgres] },
    gateway: {
      name: 'service, through the gateway',
      port: gateway.port,
      processes: [gateway.process, service.process, postgres],
    },
  };
}

/**
 * The cases of one kind of object.
 * @param {string} prefix of their names @param {string} bareBase @param {string} base @param {'records' | 'leads'} kind
 * @param {string} filter field by which lists are filtered @param {(turn: number) => object} create @param {(turn: number) => object} change
 */
function casesOf(prefix, bareBase, base, kind, filter, create, change) {
  /** @type {Record<keyof typeof TARGETS, (subjects: Subjects, of: string, filterQuery: string) => () => string>} */
  const requests = {
    read: ({ lab, data }, of) => {
      const id = inTurn(data[kind].ids);
      return () => requestText('GET', `${of}/${id()}`, lab.authorization());
    },
    list: ({ lab, data }, of, query) => {
      const value = inTurn(data[kind].filters);
      return () => requestText('GET', `${of}?${query}${value()}`, lab.authorization());
    },
    create: ({ lab }, of) => {
      const turn = counter();
      return () => requestText('POST', of, lab.authorization(), create(turn()));
    },
    change: ({ lab, data }, of) => {
      const [turn, id] = [counter(), inTurn(data[kind].ids)];
      return () => requestText('PATCH', `${of}/${id()}`, lab.authorization(), change(turn()));
    },
  };
  return Object.fromEntries(
    Object.entries(requests).map(([work, requestsOf]) => {
      const measure = (/** @type {Subjects} */ subjects) => {
        const ours = requestsOf(subjects, base, `filterField=${filter}&filterValue=`);
        const sides = [
          { subject: subjects.bare, next: requestsOf(subjects, bareBase, 'stage=') },
          { subject: subjects.direct, next: ours },
          { subject: subjects.gateway, next: ours, atLeast: TARGETS[/** @type {keyof typeof TARGETS} */ (work)] },
        ];
        return compare(`${prefix}${work}`, sides, PLAN_OF_RECORDS);
      };
      return [`${prefix.trim()}${prefix && '-'}${work}`, measure];
    }),
  );
}

/** Reads and creations spread over 32 workspaces, next to those of one. @param {Subjects} subjects */
async function workspaces({ lab, data, gateway }) {
  const create = counter();
  const creating = (/** @type {string} */ tenant) =>
    requestText('POST', recordsOf(), lab.authorization(tenant), newRecord(create()));
  const reading = data.workspaces.map(({ tenant, ids }) => {
    const id = inTurn(ids);
    return () => requestText('GET', `${recordsOf()}/${id()}`, lab.authorization(tenant));
  });
  const [next, nextTenant] = [inTurn(reading), inTurn(data.workspaces.map(({ tenant }) => tenant))];
  const [one, tenant] = [/** @type {() => string} */ (reading[0]), String(data.workspaces[0]?.tenant)];
  const named = (/** @type {string} */ name) => ({ ...gateway, name });
  const spread = `${data.workspaces.length} workspaces in turn`;
  const works = /** @type {const} */ ([
    ['read', one, () => next()()],
    ['create', () => creating(tenant), () => creating(nextTenant())],
  ]);
  const rows = [];
  for (const [work, ofOne, ofAll] of works) {
    const sides = [
      { subject: named('one workspace'), next: ofOne },
      { subject: named(spread), next: ofAll },
    ];
    rows.push(...(await compare(`${work} through the gateway`, sides, PLAN_OF_RECORDS)));
  }
  return rows;
}

/** A page of 200 records with 2 formulas, beside one of the same bytes whose records store the values. @param {Subjects} subjects */
async function formulas({ lab, direct }) {
  const page = (/** @type {string} */ apiName) => ({
    subject: direct,
    next: () => requestText('GET', `${recordsOf(apiName)}?size=200&count=none`, lab.authorization()),
  });
  const all = await alternate([page(PLAIN_API_NAME), page(API_NAME)], { ...PLAN_OF_RECORDS, connections: 4 });
  const [plain, computed] = /** @type {[typeof all[0], typeof all[0]]} */ (all);
  const name = 'page of 200 with 2 formulas, beside stored values: service, direct';
  const ratio = ratioOf(computed, plain);
  return [{ name, unit: '/s', ours: computed.rate, baseline: plain.rate, ratio, atLeast: WITH_FORMULAS }];
}

/** Searches through the gateway, one at a time, and what they do to the reads of another workspace. @param {Subjects} subjects */
async function search({ lab, data, gateway: { port } }) {
  const get = (/** @type {string} */ query, tenant = lab.tenantId) =>
    requestText('GET', recordsOf() + query, lab.authorization(tenant));
  const load = (/** @type {() => string} */ next, connections = 1, milliseconds = SEARCH_MS) =>
    sendLoad({ port, next, connections, milliseconds });
  const sorted = (/** @type {readonly number[]} */ latencies) => latencies.toSorted((left, right) => left - right);
  const rows = [];
  for (const { name, q, atMost } of SEARCHES) {
    for (const counting of ['', 'count=none']) {
      const turn = counter();
      const next = () => get(`?q=${encodeURIComponent(q(turn()))}&${counting}`);
      await load(next, 1, SEARCH_MS / 2);
      const latencies = sorted((await load(next)).latencies);
      const title = `search of ${RECORDS} records that finds ${name}${counting && ', '}${counting}`;
      rows.push({ name: `${title}, p50`, unit: 'ms', ours: percentile(latencies, 0.5), atMost });
      rows.push({ name: `${title}, p99`, unit: 'ms', ours: percentile(latencies, 0.99) });
    }
  }
  const [neighbour] = data.workspaces;
  if (!neighbour) throw new Error('There is no other workspace');
  const id = inTurn(neighbour.ids);
  const reads = () => load(() => get(`/${id()}`, neighbour.tenant), READERS);
  const p99 = async () => percentile(sorted((await reads()).latencies), 0.99);
  await reads();
  const rounds = [];
  for (let round = 0; round < SEARCH_ROUNDS; round += 1) {
    const alone = await p99();
    const [beside] = await Promise.all([p99(), load(() => get('?q=zzzz'), SEARCHERS)]);
    rounds.push({ alone, beside });
  }
  rows.push({
    name: `p99 of another tenant's reads on ${READERS} connections beside searches for zzzz on ${SEARCHERS}`,
    unit: 'ms',
    ours: median(rounds.map(({ beside }) => beside)),
    baseline: median(rounds.map(({ alone }) => alone)),
    ratio: median(rounds.map(({ alone, beside }) => beside / alone)),
    atMost: 1.5,
  });
  return rows;
}

/** What the processes hold after many requests, of ten one list, one creation and one change. @param {Subjects} subjects */
async function memory({ lab, gateway, data: { records } }) {
  const turn = counter();
  const [id, code] = [inTurn(records.ids), inTurn(records.filters)];
  let sent = 0;
  const next = () => {
    sent = turn();
    const headers = lab.authorization();
    if (sent % 10 === 0) return requestText('POST', recordsOf(), headers, newRecord(sent));
    if (sent % 10 === 1) return requestText('PATCH', `${recordsOf()}/${id()}`, headers, { text_2: `Changed ${sent}` });
    if (sent % 10 !== 2) return requestText('GET', `${recordsOf()}/${id()}`, headers);
    return requestText('GET', `${recordsOf()}?filterField=code&filterValue=${code()}`, headers);
  };
  const nodes = gateway.processes.filter(({ name }) => name !== 'Postgres');
  const after = async (/** @type {number} */ requests) => {
    while (sent < requests) {
      await sendLoad({ port: gateway.port, next, connections: PLAN.connections, milliseconds: SEARCH_MS });
    }
    return Promise.all(nodes.map(({ pid }) => residentMegabytes(pid)));
  };
  const early = await after(MEMORY_REQUESTS / 4);
  const late = await after(MEMORY_REQUESTS);
  return nodes.map(({ name }, index) => ({
    name: `memory after ${sent} requests, beside that after ${MEMORY_REQUESTS / 4}: ${name}`,
    unit: 'MB',
    ours: Number(late[index]),
    baseline: Number(early[index]),
    atMost: 1.1,
  }));
}

const changed = (/** @type {string} */ field) => (/** @type {number} */ turn) => ({ [field]: `Changed ${turn}` });
const custom = casesOf('', '/records', recordsOf(), 'records', 'code', newRecord, changed('text_1'));
const { read, list, ...writes } = custom;
const lead = casesOf('lead ', '/leads', '/api/crm/leads', 'leads', 'source', newLead, changed('firstName'));
const { 'lead-read': leadRead, 'lead-list': leadList, ...leadWrites } = lead;

/** What is written changes what a search finds, so writes come last. */
const cases = {
  ...{ read, list, 'lead-read': leadRead, 'lead-list': leadList },
  ...{ formulas, search, workspaces },
  ...writes,
  ...leadWrites,
  memory,
};

export const suites = [{ start: startRecords, cases }];

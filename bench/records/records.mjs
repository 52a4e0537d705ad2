// Reading, listing, creating and changing records through the gateway, next to bare Fastify and pg on the same Postgres:
// 32 connections, 20 fields with 2 formulas and a hidden one, 100,000 records in the tenant among 1,000 tenants. Short
// rounds of both alternate, and the ratio is that of one round, because the machine is shared. Then the same of leads, and
// what formulas, searches and many requests cost.
import { alternate, detailRows, ratioOf } from '../alternation.mjs';
import { requestText } from '../load.mjs';
import { API_NAME, newRecord } from './fill.mjs';
import { customRecords, measureFormulas } from './formulas.mjs';
import { newLead } from './leads.mjs';
import { measureMemory } from './memory.mjs';
import { measureSearch } from './search.mjs';
import { startSubjects } from './subjects.mjs';

const RECORDS = Number(process.env.BENCH_RECORDS ?? 100_000);
const CONNECTIONS = 32;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7);
const ROUND_MS = 1000;
const WARM_UP_MS = Number(process.env.BENCH_WARM_UP_MS ?? 4000);
/** A comma-separated choice of the works below, for a look at one of them. */
const CHOSEN = process.env.BENCH_WORKS?.split(',');

/** Smallest ratio to the bare server, through the gateway; of a standard object the same. */
const TARGETS = { read: 0.32, list: 0.45, create: 0.3, change: 0.25 };

/** @typedef {import('../processes.mjs').Subject} Subject */

export async function measure() {
  const subjects = await startSubjects(RECORDS);
  try {
    const rows = [];
    const isChosen = (/** @type {string} */ name) => !CHOSEN || CHOSEN.includes(name);
    const works = worksOf(subjects).filter(({ name }) => isChosen(name));
    const isRead = (/** @type {Work} */ { kind }) => kind === 'read' || kind === 'list';
    // What is written changes what a search finds.
    for (const work of works.filter(isRead)) rows.push(...(await compare(subjects, work)));
    if (isChosen('formulas')) rows.push(...(await measureFormulas(subjects)));
    if (isChosen('search')) rows.push(...(await measureSearch(subjects)));
    for (const work of works.filter((work) => !isRead(work))) rows.push(...(await compare(subjects, work)));
    if (isChosen('memory')) rows.push(...(await measureMemory(subjects)));
    return rows;
  } finally {
    await subjects.stop();
  }
}

/**
 * @typedef {object} Work
 * @property {string} name
 * @property {keyof typeof TARGETS} kind
 * @property {() => string} bare the next request to the bare server
 * @property {() => string} ours
 */

/**
 * @param {Awaited<ReturnType<typeof startSubjects>>} subjects
 * @returns {Work[]}
 */
function worksOf(subjects) {
  const { ids, codes, leads } = subjects.data;
  const custom = {
    prefix: '',
    bare: '/records',
    ours: customRecords(API_NAME),
    ids,
    filters: codes,
    filter: 'code',
    create: newRecord,
    change: (/** @type {number} */ turn) => ({ text_1: `Changed ${turn}` }),
  };
  const standard = {
    prefix: 'lead ',
    bare: '/leads',
    ours: '/api/crm/leads',
    ids: leads.ids,
    filters: leads.sources,
    filter: 'source',
    create: newLead,
    change: (/** @type {number} */ turn) => ({ firstName: `Changed ${turn}` }),
  };
  return [custom, standard].flatMap((object) => worksOfObject(object, subjects));
}

/**
 * @param {{ prefix: string, bare: string, ours: string, ids: readonly string[], filters: readonly string[], filter: string,
 *   create: (turn: number) => object, change: (turn: number) => object }} object `filter`: the field by which lists are
 *   filtered, `filters`: values of it
 * @param {{ readonly token: string }} signedIn
 * @returns {Work[]}
 */
function worksOfObject({ prefix, bare, ours, ids, filters, filter, create, change }, signedIn) {
  const write = (/** @type {string} */ method, /** @type {string} */ path, /** @type {object | undefined} */ body) =>
    requestText(method, path, `authorization: Bearer ${signedIn.token}\r\n`, body);
  let turn = 0;
  const number = () => {
    turn += 1;
    return turn;
  };
  const next = (/** @type {readonly string[]} */ list) => /** @type {string} */ (list[number() % list.length]);
  return [
    {
      name: `${prefix}read`,
      kind: 'read',
      bare: () => write('GET', `${bare}/${next(ids)}`, undefined),
      ours: () => write('GET', `${ours}/${next(ids)}`, undefined),
    },
    {
      name: `${prefix}list`,
      kind: 'list',
      bare: () => write('GET', `${bare}?stage=${next(filters)}`, undefined),
      ours: () => write('GET', `${ours}?filterField=${filter}&filterValue=${next(filters)}`, undefined),
    },
    {
      name: `${prefix}create`,
      kind: 'create',
      bare: () => write('POST', bare, create(number())),
      ours: () => write('POST', ours, create(number())),
    },
    {
      name: `${prefix}change`,
      kind: 'change',
      bare: () => write('PATCH', `${bare}/${next(ids)}`, change(number())),
      ours: () => write('PATCH', `${ours}/${next(ids)}`, change(number())),
    },
  ];
}

/**
 * @param {Awaited<ReturnType<typeof startSubjects>>} subjects
 * @param {Work} work
 */
async function compare({ bare, direct, gateway }, work) {
  const all = await alternate(
    [
      { subject: bare, next: work.bare },
      { subject: direct, next: work.ours },
      { subject: gateway, next: work.ours },
    ],
    { connections: CONNECTIONS, rounds: ROUNDS, roundMs: ROUND_MS, warmUpMs: WARM_UP_MS },
  );
  const baseline = /** @type {(typeof all)[number]} */ (all[0]);
  return all.flatMap((series) => {
    const name = `${work.name}: ${series.subject.name}`;
    return [
      {
        name,
        unit: '/s',
        ours: series.rate,
        ...(series !== baseline && { baseline: baseline.rate, ratio: ratioOf(series, baseline) }),
        ...(series.subject === gateway && { atLeast: TARGETS[work.kind] }),
      },
      ...detailRows(name, series),
    ];
  });
}

// Reading, listing, creating and changing records through the gateway, next to bare Fastify and pg on the same Postgres:
// 32 connections, 20 fields with 2 formulas and a hidden one, 100,000 records in the tenant among 1,000 tenants. Short
// rounds of both alternate, and the ratio is that of one round, because the machine is shared.
import { alternate, detailRows, ratioOf } from '../alternation.mjs';
import { requestText } from '../load.mjs';
import { API_NAME, newRecord } from './fill.mjs';
import { measureSearch } from './search.mjs';
import { startSubjects } from './subjects.mjs';

const RECORDS = Number(process.env.BENCH_RECORDS ?? 100_000);
const CONNECTIONS = 32;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7);
const ROUND_MS = 1000;
const WARM_UP_MS = Number(process.env.BENCH_WARM_UP_MS ?? 4000);
/** A comma-separated choice of the works below, for a look at one of them. */
const CHOSEN = process.env.BENCH_WORKS?.split(',');

/** Smallest ratio to the bare server, through the gateway. */
const TARGETS = { read: 0.32, list: 0.45, create: 0.3, change: 0.25 };

/** @typedef {import('../processes.mjs').Subject} Subject */

export async function measure() {
  const subjects = await startSubjects(RECORDS);
  try {
    const rows = [];
    for (const work of worksOf(subjects)) {
      if (!CHOSEN || CHOSEN.includes(work.name)) rows.push(...(await compare(subjects, work)));
    }
    if (!CHOSEN || CHOSEN.includes('search')) rows.push(...(await measureSearch(subjects)));
    return rows;
  } finally {
    await subjects.stop();
  }
}

/**
 * @typedef {object} Work
 * @property {keyof typeof TARGETS} name
 * @property {() => string} bare the next request to the bare server
 * @property {() => string} ours
 */

/**
 * @param {Awaited<ReturnType<typeof startSubjects>>} subjects
 * @returns {Work[]}
 */
function worksOf({ data: { ids, codes }, token }) {
  const base = `/api/crm/custom/${API_NAME}/records`;
  const headers = `authorization: Bearer ${token}\r\n`;
  const write = (/** @type {string} */ method, /** @type {string} */ path, /** @type {object | undefined} */ body) =>
    requestText(method, path, headers, body);
  let turn = 0;
  const next = (/** @type {readonly string[]} */ list) => {
    turn += 1;
    return /** @type {string} */ (list[turn % list.length]);
  };
  const number = () => {
    turn += 1;
    return turn;
  };
  const changed = () => ({ text_1: `Changed ${number()}` });
  return [
    {
      name: 'read',
      bare: () => write('GET', `/records/${next(ids)}`, undefined),
      ours: () => write('GET', `${base}/${next(ids)}`, undefined),
    },
    {
      name: 'list',
      bare: () => write('GET', `/records?stage=${next(codes)}`, undefined),
      ours: () => write('GET', `${base}?filterField=code&filterValue=${next(codes)}`, undefined),
    },
    {
      name: 'create',
      bare: () => write('POST', '/records', newRecord(number())),
      ours: () => write('POST', base, newRecord(number())),
    },
    {
      name: 'change',
      bare: () => write('PATCH', `/records/${next(ids)}`, changed()),
      ours: () => write('PATCH', `${base}/${next(ids)}`, changed()),
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
        ...(series.subject === gateway && { atLeast: TARGETS[work.name] }),
      },
      ...detailRows(name, series),
    ];
  });
}

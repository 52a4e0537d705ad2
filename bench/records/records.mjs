// Reading, listing, creating and changing records through the gateway, next to bare Fastify and pg on the same Postgres:
// 32 connections, 20 fields with 2 formulas and a hidden one, 100,000 records in the tenant among 1,000 tenants. Short
// rounds of both alternate, and the ratio is that of one round, because the machine is shared.
import { sendLoad } from '../load.mjs';
import { median } from '../measure.mjs';
import { processorSeconds } from '../processor-time.mjs';
import { API_NAME } from './fill.mjs';
import { measureSearch } from './search.mjs';
import { startSubjects } from './subjects.mjs';

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
  const subjects = await startSubjects();
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
  const write = (/** @type {string} */ method, /** @type {string} */ path, /** @type {object | undefined} */ body) => {
    const text = body === undefined ? '' : JSON.stringify(body);
    const type =
      body === undefined ? '' : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n`;
    return `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1:8080\r\naccept: application/json\r\nuser-agent: bench\r\nauthorization: Bearer ${token}\r\n${type}\r\n${text}`;
  };
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

const newRecord = (/** @type {number} */ turn) => ({
  code: `N${turn}`,
  ...Object.fromEntries([1, 2, 3, 4, 5, 6].map((index) => [`text_${index}`, `Text number ${turn} of this record`])),
  ...Object.fromEntries([1, 2, 3, 4, 5, 6].map((index) => [`number_${index}`, turn % 1000])),
  visited_on: '2026-05-04',
  done: true,
  stage: 'planned',
  mail: `visitor${turn}@example.com`,
});

/**
 * @param {Awaited<ReturnType<typeof startSubjects>>} subjects
 * @param {Work} work
 */
async function compare({ bare, direct, gateway }, work) {
  const all = [
    { subject: bare, next: work.bare },
    { subject: direct, next: work.ours },
    { subject: gateway, next: work.ours },
  ].map((one) => ({
    ...one,
    rates: /** @type {number[]} */ ([]),
    latencies: /** @type {number[]} */ ([]),
    requests: 0,
    seconds: new Map(),
  }));
  for (const { subject, next } of all) {
    await sendLoad({ port: subject.port, next, connections: CONNECTIONS, milliseconds: WARM_UP_MS });
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const series of round % 2 === 0 ? all : all.toReversed()) {
      const { subject, next } = series;
      const before = await processorSeconds(subject);
      const load = await sendLoad({ port: subject.port, next, connections: CONNECTIONS, milliseconds: ROUND_MS });
      series.rates.push(load.requests / load.seconds);
      for (const latency of load.latencies) series.latencies.push(latency);
      series.requests += load.requests;
      for (const [name, after] of await processorSeconds(subject)) {
        series.seconds.set(name, (series.seconds.get(name) ?? 0) + after - (before.get(name) ?? 0));
      }
    }
  }
  const baseline = /** @type {(typeof all)[number]} */ (all[0]);
  return all.flatMap((series) => {
    const { subject, rates, requests, seconds } = series;
    const latencies = series.latencies.toSorted((left, right) => left - right);
    const at = (/** @type {number} */ part) => latencies[Math.floor(latencies.length * part)] ?? Number.NaN;
    const name = `${work.name}: ${subject.name}`;
    return [
      {
        name,
        unit: '/s',
        ours: median(rates),
        ...(series !== baseline && {
          baseline: median(baseline.rates),
          ratio: median(rates.map((rate, round) => rate / /** @type {number} */ (baseline.rates[round]))),
        }),
        ...(subject === gateway && { atLeast: TARGETS[work.name] }),
      },
      { name: `${name}, p50`, unit: 'ms', ours: at(0.5) },
      { name: `${name}, p99`, unit: 'ms', ours: at(0.99) },
      ...[...seconds].map(([process, total]) => ({
        name: `${name}, processor time a request: ${process}`,
        unit: 'µs',
        ours: (total / requests) * 1e6,
      })),
    ];
  });
}

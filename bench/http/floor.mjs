// The cheapest authenticated request, next to what Fastify does with nothing on top: 32 connections, each server in a
// process of its own. Short rounds of all subjects alternate, and the ratio is that of one round, because the machine is
// shared: what else it does meets all of them. Processor time per request says which process the next gain is in.

import { sendLoad } from '../load.mjs';
import { median } from '../measure.mjs';
import { processorSeconds } from '../processor-time.mjs';
import { startSubjects } from './subjects.mjs';

const CONNECTIONS = 32;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);
const ROUND_MS = 1000;
/** Before anything counts: the compiler takes its time by calls, not by the clock. */
const WARM_UP_REQUESTS = 20_000;
const LONGEST_WARM_UP_MS = 20_000;

const DIRECT_RATIO = 0.4;
const GATEWAY_RATIO = 0.2;

export async function measure() {
  const subjects = await startSubjects();
  try {
    const { bare, bareProxy, direct, gateway, token } = subjects;
    const request = [
      'GET /api/auth/constant?page=2&size=25 HTTP/1.1',
      'host: 127.0.0.1:8080',
      'accept: application/json',
      'user-agent: bench',
      `authorization: Bearer ${token}`,
      '\r\n',
    ].join('\r\n');
    const all = [bare, bareProxy, direct, gateway];
    const series = new Map(all.map((subject) => [subject, seriesOf(subject)]));
    const of = (/** @type {import('../processes.mjs').Subject} */ subject) =>
      /** @type {Series} */ (series.get(subject));
    for (const { port } of all) {
      const deadline = performance.now() + LONGEST_WARM_UP_MS;
      for (let sent = 0; sent < WARM_UP_REQUESTS && performance.now() < deadline; ) {
        sent += (await sendLoad({ port, next: () => request, connections: CONNECTIONS, milliseconds: ROUND_MS }))
          .requests;
      }
    }
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const subject of round % 2 === 0 ? all : all.toReversed()) await runRound(of(subject), request);
    }
    const rowOf = (
      /** @type {import('../processes.mjs').Subject} */ subject,
      /** @type {number | undefined} */ atLeast,
    ) => ({
      name: `cheapest read, 32 connections: ${subject.name}`,
      unit: '/s',
      ours: median(of(subject).rates),
      baseline: median(of(bare).rates),
      ratio: median(of(subject).rates.map((rate, round) => rate / /** @type {number} */ (of(bare).rates[round]))),
      ...(atLeast !== undefined && { atLeast }),
    });
    return [
      { name: `cheapest read, 32 connections: ${bare.name}`, unit: '/s', ours: median(of(bare).rates) },
      rowOf(bareProxy, undefined),
      rowOf(direct, DIRECT_RATIO),
      rowOf(gateway, GATEWAY_RATIO),
      ...all.flatMap((subject) => processorRows(of(subject))),
    ];
  } finally {
    await subjects.stop();
  }
}

/**
 * @typedef {object} Series
 * @property {import('../processes.mjs').Subject} subject
 * @property {number[]} rates answers a second, by round
 * @property {number} requests of all rounds
 * @property {Map<string, number>} seconds of processor time in all rounds, by process
 */

/**
 * @param {import('../processes.mjs').Subject} subject
 * @returns {Series}
 */
const seriesOf = (subject) => ({ subject, rates: [], requests: 0, seconds: new Map() });

/**
 * @param {Series} series
 * @param {string} request
 */
async function runRound(series, request) {
  const { subject, seconds } = series;
  const before = await processorSeconds(subject);
  const { requests, seconds: duration } = await sendLoad({
    port: subject.port,
    next: () => request,
    connections: CONNECTIONS,
    milliseconds: ROUND_MS,
  });
  series.rates.push(requests / duration);
  series.requests += requests;
  for (const [name, after] of await processorSeconds(subject)) {
    seconds.set(name, (seconds.get(name) ?? 0) + after - (before.get(name) ?? 0));
  }
}

/** @param {Series} series */
function processorRows({ subject, requests, seconds }) {
  return [...seconds].map(([name, total]) => ({
    name: `processor time a request, ${subject.name}: ${name}`,
    unit: 'µs',
    ours: (total / requests) * 1e6,
  }));
}

// Short rounds of several servers, one after the other, so that whatever else the machine does meets all of them.
import { sendLoad } from './load.mjs';
import { median } from './measure.mjs';
import { processorSeconds } from './processor-time.mjs';

const LONGEST_WARM_UP_MS = 30_000;

/**
 * @typedef {object} Side
 * @property {import('./processes.mjs').Subject} subject
 * @property {() => string} next the next request, whole, as it goes over the wire
 */

/**
 * @typedef {object} Series what the rounds of one side gave
 * @property {import('./processes.mjs').Subject} subject
 * @property {readonly number[]} rates requests a second of each round
 * @property {number} rate their median
 * @property {readonly number[]} latencies milliseconds of each request, in ascending order
 * @property {number} requests
 * @property {ReadonlyMap<string, number>} seconds processor time of each process in the rounds
 */

/**
 * Warms every side up, then measures them in turns; the order is reversed every other round.
 * @param {readonly Side[]} sides
 * @param {{ connections: number, rounds: number, roundMs: number, warmUpMs: number, warmUpRequests?: number }} plan a
 *   warm-up goes on until `warmUpRequests` are answered, but not much longer than LONGEST_WARM_UP_MS
 * @returns {Promise<Series[]>} in the order of the sides
 * @throws {Error} for an answer that is no success
 */
export async function alternate(sides, { connections, rounds, roundMs, warmUpMs, warmUpRequests = 0 }) {
  for (const { subject, next } of sides) {
    const deadline = performance.now() + LONGEST_WARM_UP_MS;
    let answered = 0;
    do {
      answered += (await sendLoad({ port: subject.port, next, connections, milliseconds: warmUpMs })).requests;
    } while (answered < warmUpRequests && performance.now() < deadline);
  }
  const all = sides.map((side) => ({
    ...side,
    rates: /** @type {number[]} */ ([]),
    latencies: /** @type {number[]} */ ([]),
    requests: 0,
    seconds: /** @type {Map<string, number>} */ (new Map()),
  }));
  for (let round = 0; round < rounds; round += 1) {
    for (const series of round % 2 === 0 ? all : all.toReversed()) {
      const { subject, next } = series;
      const before = await processorSeconds(subject);
      const load = await sendLoad({ port: subject.port, next, connections, milliseconds: roundMs });
      series.rates.push(load.requests / load.seconds);
      for (const latency of load.latencies) series.latencies.push(latency);
      series.requests += load.requests;
      for (const [name, after] of await processorSeconds(subject)) {
        series.seconds.set(name, (series.seconds.get(name) ?? 0) + after - (before.get(name) ?? 0));
      }
    }
  }
  return all.map(({ subject, rates, latencies, requests, seconds }) => ({
    subject,
    rates,
    rate: median(rates),
    latencies: latencies.toSorted((left, right) => left - right),
    requests,
    seconds,
  }));
}

/**
 * The ratio of two sides that were measured in turns: the median of the ratios of each round.
 * @param {Series} ours
 * @param {Series} baseline
 */
export function ratioOf(ours, baseline) {
  return median(ours.rates.map((rate, round) => rate / /** @type {number} */ (baseline.rates[round])));
}

/**
 * Rows that inform: latencies, and processor time a request of each process.
 * @param {string} name what was measured
 * @param {Series} series
 */
export function detailRows(name, { latencies, requests, seconds }) {
  const at = (/** @type {number} */ part) => latencies[Math.floor(latencies.length * part)] ?? Number.NaN;
  return [
    { name: `${name}, p50`, unit: 'ms', ours: at(0.5) },
    { name: `${name}, p99`, unit: 'ms', ours: at(0.99) },
    ...[...seconds].map(([process, total]) => ({
      name: `${name}, processor time a request: ${process}`,
      unit: 'µs',
      ours: (total / requests) * 1e6,
    })),
  ];
}

/**
 * Microseconds of a request in all processes of the servers, without the client.
 * @param {Series} series
 */
export function serverMicroseconds({ requests, seconds }) {
  const total = [...seconds].reduce((sum, [name, one]) => (name === 'client' ? sum : sum + one), 0);
  return (total / requests) * 1e6;
}

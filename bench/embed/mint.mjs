// Mints for host users who are known, next to a bare Fastify that signs one Ed25519 JWT and does one indexed read: 32
// connections, each server in a process of its own. Short rounds alternate, and the ratio is that of one round. Ours are two
// processes and a broker between them, and client, servers and Postgres share the processors.
import { requestText, sendLoad } from '../load.mjs';
import { median } from '../measure.mjs';
import { processorSeconds } from '../processor-time.mjs';
import { CLIENT, emailOf, HOST_USERS, subOf } from './database.mjs';
import { startSubjects } from './subjects.mjs';

const CONNECTIONS = 32;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);
const ROUND_MS = 1000;
const WARM_UP_ROUNDS = 5;
const RATIO = 0.4;

export async function measure() {
  const { bare, edge, stop } = await startSubjects();
  try {
    const [ofBare, ofEdge] = [seriesOf(bare), seriesOf(edge)];
    const all = [ofBare, ofEdge];
    let turn = 0;
    const requests = Array.from({ length: HOST_USERS }, (_, index) => mintRequest(index));
    const next = () => /** @type {string} */ (requests[turn++ % requests.length]);
    const load = { next, connections: CONNECTIONS, milliseconds: ROUND_MS };
    for (let round = 0; round < WARM_UP_ROUNDS; round += 1) {
      for (const { subject } of all) await sendLoad({ port: subject.port, ...load });
    }
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const series of round % 2 === 0 ? all : all.toReversed()) {
        const before = await processorSeconds(series.subject);
        const { requests: answered, seconds, latencies } = await sendLoad({ port: series.subject.port, ...load });
        series.rates.push(answered / seconds);
        series.latencies.push(...latencies);
        for (const [name, after] of await processorSeconds(series.subject)) {
          series.seconds.set(name, (series.seconds.get(name) ?? 0) + after - (before.get(name) ?? 0));
        }
      }
    }
    const ratio = median(ofEdge.rates.map((rate, round) => rate / /** @type {number} */ (ofBare.rates[round])));
    return [
      { name: `mint, 32 connections: ${bare.name}`, unit: '/s', ours: median(ofBare.rates) },
      {
        name: `mint of a known sub, 32 connections: ${edge.name}`,
        unit: '/s',
        ours: median(ofEdge.rates),
        baseline: median(ofBare.rates),
        ratio,
        atLeast: RATIO,
      },
      { name: `mint of a known sub, median: ${edge.name}`, unit: 'ms', ours: median(ofEdge.latencies) },
      ...all.flatMap(({ subject, seconds, latencies }) =>
        [...seconds].map(([name, total]) => ({
          name: `processor time a mint, ${subject.name}: ${name}`,
          unit: 'µs',
          ours: (total / latencies.length) * 1e6,
        })),
      ),
    ];
  } finally {
    await stop();
  }
}

/**
 * What was measured of one subject.
 * @param {import('../processes.mjs').Subject} subject
 */
const seriesOf = (subject) => ({
  subject,
  rates: /** @type {number[]} */ ([]),
  latencies: /** @type {number[]} */ ([]),
  seconds: /** @type {Map<string, number>} */ (new Map()),
});

/** @param {number} index of the host user */
function mintRequest(index) {
  const headers = `x-embed-key: ${CLIENT.clientId}\r\nx-embed-secret: ${CLIENT.clientSecret}\r\n`;
  const body = { sub: subOf(index), email: emailOf(index), name: 'Host user', scopes: ['leads'] };
  return requestText('POST', '/api/auth/v1/embed/sessions', headers, body);
}

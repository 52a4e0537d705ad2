// What tracing adds to the processor time of one process for a request that arrives and calls another service: without
// tracing, not recorded, and recorded (both spans, their encoding and their export). Processor time and not time: it holds
// on a machine with other work.
import { createServer } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { builtFile } from '../../scripts/root.mjs';

const REQUESTS = 40_000;
/** Requests between two turns of the event loop, in which spans are exported. */
const IN_A_TURN = 50;
const ROUNDS = 7;

/** Of a request in each of the two processes, measured on the machine of docs/performance.md: what 1 % may add to. */
const REQUEST_US = 120;

const describe = (/** @type {string} */ name) => ({
  name,
  kind: /** @type {const} */ ('server'),
  attributes: { 'http.request.method': 'GET', 'url.scheme': 'http', 'http.route': '/api/crm/leads/:id' },
});

export async function measure() {
  /** @type {typeof import('../../libs/telemetry/src/index.js')} */
  const tracing = await import(builtFile('libs/telemetry'));
  const sink = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
  });
  await new Promise((resolve) => sink.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (sink.address());
  const endpoint = `http://127.0.0.1:${port}`;
  const service = { name: 'bench', version: '0', instanceId: 'bench' };
  /** @param {number | undefined} sampleRatio undefined: without tracing */
  const microseconds = async (sampleRatio) => {
    const running =
      sampleRatio === undefined ? undefined : await tracing.startTracing({ endpoint, sampleRatio }, service);
    const used = await timeRequests(tracing);
    await running?.stop();
    return used;
  };
  /** @type {{ off: number[], unrecorded: number[], recorded: number[] }} */
  const series = { off: [], unrecorded: [], recorded: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    series.off.push(await microseconds(undefined));
    series.unrecorded.push(await microseconds(0));
    series.recorded.push(await microseconds(1));
  }
  sink.close();
  sink.closeAllConnections();
  // The best of each: whatever else the machine does only adds.
  const [off, unrecorded, recorded] = [series.off, series.unrecorded, series.recorded].map((all) => Math.min(...all));
  const [plain, without, withSpans] = /** @type {[number, number, number]} */ ([off, unrecorded, recorded]);
  const added = 0.99 * (without - plain) + 0.01 * (withSpans - plain);
  return [
    { name: 'trace of a request, without tracing', unit: 'µs', ours: plain },
    { name: 'trace of a request, not recorded', unit: 'µs', ours: without, baseline: plain },
    { name: 'trace of a request, two spans recorded and exported', unit: 'µs', ours: withSpans, baseline: plain },
    { name: '1 % recorded: share of a request of 120 µs', unit: '%', ours: (100 * added) / REQUEST_US, atMost: 10 },
  ];
}

/**
 * @param {typeof import('../../libs/telemetry/src/index.js')} tracing
 * @returns {Promise<number>} microseconds of processor time a request
 */
async function timeRequests({ arrive, sampleAnew, startSpan }) {
  const before = process.cpuUsage();
  for (let index = 0; index < REQUESTS; index += 1) {
    const { traceparent, span } = arrive(sampleAnew(undefined), describe, 'GET /api/crm/leads/:id');
    const call = startSpan(traceparent, describe, 'GET custom-objects');
    call?.set('http.response.status_code', 200);
    call?.end();
    span?.set('http.response.status_code', 200);
    span?.end();
    if (index % IN_A_TURN === 0) await turn();
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / REQUESTS;
}

// What tracing costs: leads read and created through the gateway by two platforms that differ in tracing alone, each with a
// Postgres and a broker of its own. Short rounds of both alternate, and the ratio is that of one round, because the machine is
// shared. The price of a sample ratio of 1 % has a target; that of recording everything informs.
import path from 'node:path';
import { accepts } from '../../scripts/platform/readiness.mjs';
import { freePorts } from '../../scripts/servers/free-port.mjs';
import { alternate, detailRows, ratioOf, serverMicroseconds } from '../alternation.mjs';
import { requestText } from '../load.mjs';
import { Processes } from '../processes.mjs';
import { newLead } from '../records/leads.mjs';
import { startSubjects } from '../records/subjects.mjs';

const RECORDS = Number(process.env.BENCH_RECORDS ?? 5_000);
const CONNECTIONS = 32;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 15);
const ROUND_MS = 1000;
const WARM_UP_MS = Number(process.env.BENCH_WARM_UP_MS ?? 4000);

/** Smallest share of the throughput without tracing. */
const TARGET = 0.9;

export async function measure() {
  const sink = await startSink();
  try {
    const everything = process.env.BENCH_WORKS === 'sampled' ? [] : await measureAt(sink, '1', undefined);
    return [...(await measureAt(sink, '0.01', TARGET)), ...everything];
  } finally {
    await sink.stop();
  }
}

/**
 * @param {Awaited<ReturnType<typeof startSink>>} sink
 * @param {string} sampleRatio
 * @param {number | undefined} target
 */
async function measureAt(sink, sampleRatio, target) {
  const off = await startSubjects(RECORDS);
  try {
    const on = await startSubjects(RECORDS, {
      OTEL_EXPORTER_OTLP_ENDPOINT: sink.url,
      OTEL_TRACES_SAMPLE_RATIO: sampleRatio,
    });
    try {
      const rows = [];
      for (const work of [reading, creating]) {
        const before = await sink.count();
        const all = await alternate(
          [
            { subject: off.gateway, next: work.of(off) },
            { subject: on.gateway, next: work.of(on) },
          ],
          { connections: CONNECTIONS, rounds: ROUNDS, roundMs: ROUND_MS, warmUpMs: WARM_UP_MS },
        );
        const [plain, traced] = /** @type {[typeof all[number], typeof all[number]]} */ (all);
        const name = `lead ${work.name}, ${Number(sampleRatio) * 100} % traced`;
        const ratio = ratioOf(traced, plain);
        rows.push(
          { name, unit: '/s', ours: traced.rate, baseline: plain.rate, ratio, ...(target && { atLeast: target }) },
          {
            name: `${name}: processor time a request, gateway, service and Postgres`,
            unit: 'µs',
            ours: serverMicroseconds(traced),
            baseline: serverMicroseconds(plain),
          },
          ...detailRows(name, traced),
          ...detailRows(`lead ${work.name}, without tracing`, plain),
          // Those of the last seconds are still under way.
          { name: `${name}: spans received`, unit: '', ours: (await sink.count()) - before },
        );
      }
      return rows;
    } finally {
      await on.stop();
    }
  } finally {
    await off.stop();
  }
}

/** @typedef {Awaited<ReturnType<typeof startSubjects>>} Subjects */

const headersOf = (/** @type {Subjects} */ { token }) => `authorization: Bearer ${token}\r\n`;

const reading = {
  name: 'read',
  of: (/** @type {Subjects} */ subjects) => {
    const { ids } = subjects.data.leads;
    let turn = 0;
    return () => {
      turn += 1;
      return requestText('GET', `/api/crm/leads/${ids[turn % ids.length]}`, headersOf(subjects));
    };
  },
};

const creating = {
  name: 'create',
  of: (/** @type {Subjects} */ subjects) => {
    let turn = 0;
    return () => {
      turn += 1;
      return requestText('POST', '/api/crm/leads', headersOf(subjects), newLead(turn));
    };
  },
};

/** A receiver of traces in a process of its own, beside what is measured. */
async function startSink() {
  const processes = await Processes.open();
  try {
    const [port] = /** @type {[number]} */ (await freePorts(1));
    await processes.start('sink', path.join(import.meta.dirname, 'sink.mjs'), { PORT: String(port) }, () =>
      accepts(port),
    );
    const url = `http://127.0.0.1:${port}`;
    return {
      url,
      count: async () => Number(await (await fetch(url)).text()),
      stop: () => processes.stop(),
    };
  } catch (error) {
    await processes.stop();
    throw error;
  }
}

// What a request to the outside costs: ours, with all its checks, next to a bare undici agent that checks nothing but the
// certificate, both to the same receiver in another process. Short rounds of both alternate, because the machine is shared, and
// the processor time counts more than the rate: receiver and client share the processors.

import path from 'node:path';
import { generate } from 'selfsigned';
import { Agent, request } from 'undici';
import { accepts } from '../../scripts/platform/readiness.mjs';
import { builtFile } from '../../scripts/root.mjs';
import { freePorts } from '../../scripts/servers/free-port.mjs';
import { median } from '../measure.mjs';
import { Processes } from '../processes.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7);
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 4_000);
/** Before anything counts: the compiler takes its time by calls, not by the clock. */
const WARM_UP_REQUESTS = 10_000;
const MOST_ORIGINS = 10;

/** As much as the dispatcher sends for a lead that was created. */
const BODY = 'x'.repeat(600);
const HEADERS = {
  'content-type': 'application/json',
  'webhook-id': '0192f0c1-1111-7000-8000-0123456789ab',
  'webhook-timestamp': '1700000000',
  'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  'x-platform-signature': 't=1700000000,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd',
};

/** On a busy machine the first sockets, opened all at once, would take longer than calls usually may. */
const PATIENT = { connectMs: 120_000, headersMs: 120_000, bodyMs: 120_000, totalMs: 240_000 };

const nameOf = (/** @type {number} */ origin) => `h${origin}.receiver.test`;

export async function measure() {
  const processes = await Processes.open();
  /** @type {Subject[]} */
  const subjects = [];
  try {
    const [port] = /** @type {[number]} */ (await freePorts(1));
    const { key, cert } = await certificate();
    const receiver = path.join(import.meta.dirname, 'servers', 'receiver.mjs');
    await processes.start('receiver', receiver, { PORT: String(port), KEY: key, CERT: cert }, () => accepts(port));
    const rows = [];
    for (const [origins, concurrency] of /** @type {const} */ ([
      [1, 32],
      [1, 256],
      [10, 32],
      [10, 256],
    ])) {
      const ours = await ourClient(port, cert);
      const bare = bareAgent(port, cert);
      subjects.splice(0, subjects.length, ours, bare);
      rows.push(...(await compare(ours, bare, origins, concurrency)));
      for (const subject of subjects.splice(0)) await subject.close();
    }
    return rows;
  } finally {
    for (const subject of subjects) await subject.close();
    await processes.stop();
  }
}

/**
 * @typedef {object} Subject
 * @property {(origin: number) => Promise<number>} send returns the status
 * @property {() => Promise<void>} close
 */

/**
 * @param {number} port
 * @param {string} ca
 * @returns {Promise<Subject>}
 */
async function ourClient(port, ca) {
  /** @type {typeof import('../../libs/egress/src/index.js')} */
  const { OutsideClient } = await import(builtFile('libs/egress'));
  const names = Array.from({ length: MOST_ORIGINS }, (_none, origin) => nameOf(origin));
  const client = new OutsideClient({
    allow: names.map((host) => ({ host, port })),
    ca,
    resolver: async () => ['127.0.0.1'],
    timeouts: PATIENT,
  });
  return {
    send: async (origin) => {
      const url = `https://${nameOf(origin)}:${port}/hook`;
      const limits = { maxResponseBytes: 1024, truncate: true };
      return (await client.request({ method: 'POST', url, headers: HEADERS, body: BODY, ...limits })).status;
    },
    close: () => client.close(),
  };
}

/**
 * @param {number} port
 * @param {string} ca
 * @returns {Subject}
 */
function bareAgent(port, ca) {
  const agent = new Agent({
    connectTimeout: PATIENT.connectMs,
    connect: {
      ca,
      lookup: (_name, options, callback) =>
        options.all ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4),
    },
  });
  return {
    send: async (origin) => {
      const url = `https://${nameOf(origin)}:${port}/hook`;
      const { statusCode, body } = await request(url, {
        method: 'POST',
        headers: HEADERS,
        body: BODY,
        dispatcher: agent,
      });
      await body.arrayBuffer();
      return statusCode;
    },
    close: () => agent.close(),
  };
}

/**
 * @param {Subject} ours
 * @param {Subject} bare
 * @param {number} origins
 * @param {number} concurrency
 */
async function compare(ours, bare, origins, concurrency) {
  const series = [ours, bare].map((subject) => ({
    subject,
    rates: /** @type {number[]} */ ([]),
    costs: /** @type {number[]} */ ([]),
  }));
  for (const { subject } of series) await send(subject, WARM_UP_REQUESTS, origins, concurrency);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { subject, rates, costs } of round % 2 === 0 ? series : series.toReversed()) {
      const { rate, cost } = await send(subject, REQUESTS, origins, concurrency);
      rates.push(rate);
      costs.push(cost);
    }
  }
  const [a, b] = /** @type {[typeof series[0], typeof series[0]]} */ (series);
  const what = `${concurrency} at the same time to ${origins} ${origins === 1 ? 'origin' : 'origins'}`;
  return [
    { name: `requests, ${what}`, unit: '/s', ours: median(a.rates), baseline: median(b.rates) },
    {
      name: `processor time a request, ${what}`,
      unit: 'µs',
      ours: median(a.costs),
      baseline: median(b.costs),
      atMost: 1,
    },
  ];
}

/**
 * @param {Subject} subject
 * @param {number} count
 * @param {number} origins
 * @param {number} concurrency
 * @returns {Promise<{ rate: number, cost: number }>} requests a second, and microseconds of our processor time for each
 */
async function send(subject, count, origins, concurrency) {
  let sent = 0;
  const begun = performance.now();
  const before = process.cpuUsage();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (sent < count) {
        const status = await subject.send(sent++ % origins);
        if (status !== 200) throw new Error(`The receiver answered ${status}`);
      }
    }),
  );
  const { user, system } = process.cpuUsage(before);
  return { rate: (sent / (performance.now() - begun)) * 1000, cost: (user + system) / sent };
}

async function certificate() {
  const altNames = Array.from({ length: MOST_ORIGINS }, (_none, origin) => ({
    type: /** @type {const} */ (2),
    value: nameOf(origin),
  }));
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'receiver' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames },
    ],
  });
  return { key, cert };
}

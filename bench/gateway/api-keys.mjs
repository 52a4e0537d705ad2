// What an API key costs: calls of many users through one gateway, with access tokens and with API keys. A key is exchanged once
// a minute and otherwise hashed and looked up, so the calls should cost nearly the same. Short rounds of both alternate, and
// the ratio is that of one round.

import { builtFile } from '../../scripts/root.mjs';
import { freePorts } from '../../scripts/servers/free-port.mjs';
import { requestText, sendLoad } from '../load.mjs';
import { median } from '../measure.mjs';
import { Processes, signToken } from '../processes.mjs';
import { processorSeconds } from '../processor-time.mjs';

const CONNECTIONS = 32;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);
const ROUND_MS = 1000;
const WARM_UP_REQUESTS = 20_000;
const LONGEST_WARM_UP_MS = 20_000;
const TENANTS = 20;
const USERS_EACH = 10;

const KEY_RATIO = 0.9;

/**
 * @typedef {object} Series
 * @property {string} name
 * @property {() => string} next the next request
 * @property {number[]} rates answers a second, by round
 * @property {number} requests of all rounds
 * @property {Map<string, number>} seconds of processor time in all rounds, by process
 */

export async function measure() {
  const processes = await Processes.open();
  try {
    const { subject, byToken, byKey } = await start(processes);
    const all = [byToken, byKey];
    for (const { next } of all) {
      const deadline = performance.now() + LONGEST_WARM_UP_MS;
      for (let sent = 0; sent < WARM_UP_REQUESTS && performance.now() < deadline; ) {
        sent += (await sendLoad({ port: subject.port, next, connections: CONNECTIONS, milliseconds: ROUND_MS }))
          .requests;
      }
    }
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const series of round % 2 === 0 ? all : all.toReversed()) await runRound(subject, series);
    }
    return [
      {
        name: 'gateway, 32 connections, API keys; against access tokens',
        unit: '/s',
        ours: median(byKey.rates),
        baseline: median(byToken.rates),
        ratio: median(byKey.rates.map((rate, round) => rate / /** @type {number} */ (byToken.rates[round]))),
        atLeast: KEY_RATIO,
      },
      ...all.flatMap(({ name, requests, seconds }) =>
        [...seconds].map(([process, total]) => ({
          name: `processor time a request, ${name}: ${process}`,
          unit: 'µs',
          ours: (total / requests) * 1e6,
        })),
      ),
    ];
  } finally {
    await processes.stop();
  }
}

/**
 * @param {import('../processes.mjs').Subject} subject
 * @param {Series} series
 */
async function runRound(subject, series) {
  const before = await processorSeconds(subject);
  const { requests, seconds } = await sendLoad({
    port: subject.port,
    next: series.next,
    connections: CONNECTIONS,
    milliseconds: ROUND_MS,
  });
  series.rates.push(requests / seconds);
  series.requests += requests;
  for (const [name, after] of await processorSeconds(subject)) {
    series.seconds.set(name, (series.seconds.get(name) ?? 0) + after - (before.get(name) ?? 0));
  }
}

/** @param {Processes} processes */
async function start(processes) {
  const [natsPort, servicePort, serviceOps, gatewayPort, gatewayOps] =
    /** @type {[number, number, number, number, number]} */ (await freePorts(5));
  const natsUrl = await processes.startBroker(natsPort);
  /** @type {typeof import('../../libs/database/src/index.js')} */
  const { newId } = await import(builtFile('libs/database'));
  /** @type {typeof import('../../libs/access/src/index.js')} */
  const { makeApiKey } = await import(builtFile('libs/access'));
  const { sign, publicKey, privateKey } = await signToken(newId());
  const tenants = Array.from({ length: TENANTS }, newId).flatMap((tenantId) =>
    Array.from({ length: USERS_EACH }, () => tenantId),
  );
  const tokens = await Promise.all(tenants.map(sign));
  const keys = tenants.map((tenantId) => makeApiKey({ keyId: newId(), tenantId }));
  const service = await processes.startIdentity(
    { port: servicePort, operationsPort: serviceOps, natsUrl },
    publicKey,
    privateKey,
  );
  const gateway = await processes.startGateway(
    { port: gatewayPort, operationsPort: gatewayOps, natsUrl },
    { IDENTITY_URL: `http://127.0.0.1:${servicePort}` },
  );
  return {
    subject: { name: 'gateway', port: gatewayPort, processes: [gateway, service] },
    byToken: seriesOf('access tokens', tokens),
    byKey: seriesOf('API keys', keys),
  };
}

/**
 * @param {string} name
 * @param {readonly string[]} credentials
 * @returns {Series}
 */
function seriesOf(name, credentials) {
  const requests = credentials.map((credential) =>
    requestText('GET', '/api/auth/constant?page=2&size=25', `authorization: Bearer ${credential}\r\n`),
  );
  let sent = 0;
  const next = () => /** @type {string} */ (requests[sent++ % requests.length]);
  return { name, next, rates: [], requests: 0, seconds: new Map() };
}

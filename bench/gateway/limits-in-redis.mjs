// What limits in Redis cost the gateway: two gateways in front of one service, one that counts in its memory and one that
// counts in a Redis server on the same machine, which takes its part of the two cores as well. Tokens of many users, whose
// limits are other keys. Short rounds of both alternate, and the ratio is that of one round.

import { accepts } from '../../scripts/platform/readiness.mjs';
import { builtFile } from '../../scripts/root.mjs';
import { freePorts } from '../../scripts/servers/free-port.mjs';
import { redisProgram } from '../../scripts/servers/programs.mjs';
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

const REDIS_RATIO = 0.85;

export async function measure() {
  const processes = await Processes.open();
  try {
    const { subjects, next } = await start(processes);
    const [inMemory, inRedis] = subjects;
    for (const { port } of subjects) {
      const deadline = performance.now() + LONGEST_WARM_UP_MS;
      for (let sent = 0; sent < WARM_UP_REQUESTS && performance.now() < deadline; ) {
        sent += (await sendLoad({ port, next, connections: CONNECTIONS, milliseconds: ROUND_MS })).requests;
      }
    }
    /** @type {Map<import('../processes.mjs').Subject, { rates: number[], requests: number, seconds: Map<string, number> }>} */
    const series = new Map(subjects.map((subject) => [subject, { rates: [], requests: 0, seconds: new Map() }]));
    const of = (/** @type {import('../processes.mjs').Subject} */ subject) =>
      /** @type {{ rates: number[], requests: number, seconds: Map<string, number> }} */ (series.get(subject));
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
        const before = await processorSeconds(subject);
        const { requests, seconds } = await sendLoad({
          port: subject.port,
          next,
          connections: CONNECTIONS,
          milliseconds: ROUND_MS,
        });
        const own = of(subject);
        own.rates.push(requests / seconds);
        own.requests += requests;
        for (const [name, after] of await processorSeconds(subject)) {
          own.seconds.set(name, (own.seconds.get(name) ?? 0) + after - (before.get(name) ?? 0));
        }
      }
    }
    const [memoryRates, redisRates] = [of(inMemory).rates, of(inRedis).rates];
    return [
      {
        name: 'gateway, 32 connections, limits in Redis; against limits in memory',
        unit: '/s',
        ours: median(redisRates),
        baseline: median(memoryRates),
        ratio: median(redisRates.map((rate, round) => rate / /** @type {number} */ (memoryRates[round]))),
        atLeast: REDIS_RATIO,
      },
      ...subjects.flatMap((subject) =>
        [...of(subject).seconds].map(([name, total]) => ({
          name: `processor time a request, ${subject.name}: ${name}`,
          unit: 'µs',
          ours: (total / of(subject).requests) * 1e6,
        })),
      ),
    ];
  } finally {
    await processes.stop();
  }
}

/** @param {Processes} processes */
async function start(processes) {
  const [natsPort, redisPort, servicePort, serviceOps, ...gatewayPorts] =
    /** @type {[number, number, number, number, number, number, number, number]} */ (await freePorts(8));
  const natsUrl = await processes.startBroker(natsPort);
  const redis = await processes.startProgram(
    'redis',
    await redisProgram(),
    ['--port', String(redisPort), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    () => accepts(redisPort),
  );
  /** @type {typeof import('../../libs/database/src/index.js')} */
  const { newId } = await import(builtFile('libs/database'));
  const { sign, publicKey } = await signToken(newId());
  const requests = await Promise.all(
    Array.from({ length: TENANTS }, newId).flatMap((tenant) =>
      Array.from({ length: USERS_EACH }, async () =>
        requestText('GET', '/api/auth/constant?page=2&size=25', `authorization: Bearer ${await sign(tenant)}\r\n`),
      ),
    ),
  );
  let sent = 0;
  const next = () => /** @type {string} */ (requests[sent++ % requests.length]);
  const service = await processes.startIdentity({ port: servicePort, operationsPort: serviceOps, natsUrl }, publicKey);
  const upstream = { IDENTITY_URL: `http://127.0.0.1:${servicePort}` };
  const [memoryPort, memoryOps, redisGatewayPort, redisOps] = gatewayPorts;
  const inMemory = await processes.startGateway(
    { port: memoryPort, operationsPort: memoryOps, natsUrl },
    { ...upstream, REDIS_URL: '' },
  );
  const inRedis = await processes.startGateway(
    { port: redisGatewayPort, operationsPort: redisOps, natsUrl },
    { ...upstream, REDIS_URL: `redis://127.0.0.1:${redisPort}` },
  );
  /** @type {[import('../processes.mjs').Subject, import('../processes.mjs').Subject]} */
  const subjects = [
    { name: 'limits in memory', port: memoryPort, processes: [inMemory, service] },
    { name: 'limits in Redis', port: redisGatewayPort, processes: [inRedis, service, redis] },
  ];
  return { subjects, next };
}

// What TLS between the gateway and a service costs: two gateways, each in front of a service of its own, one pair with plain HTTP and one
// with TLS. Connections are kept, so that what counts is the encryption of requests and answers and not the handshakes.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { builtFile } from '../../scripts/root.mjs';
import { freePorts } from '../../scripts/servers/free-port.mjs';
import { certificateAuthority } from '../../scripts/testing/certificate-authority.mjs';
import { alternate, detailRows, ratioOf, serverMicroseconds } from '../alternation.mjs';
import { requestText } from '../load.mjs';
import { Processes, signToken } from '../processes.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);
const PLAN = { connections: 32, rounds: ROUNDS, roundMs: 1000, warmUpMs: 1000, warmUpRequests: 20_000 };

export async function measure() {
  const processes = await Processes.open();
  try {
    const { subjects, next } = await start(processes);
    const [plain, encrypted] = await alternate(
      subjects.map((subject) => ({ subject, next })),
      PLAN,
    );
    if (!plain || !encrypted) throw new Error('Both were to be measured');
    return [
      {
        name: 'gateway, 32 connections, TLS to the service; against plain HTTP',
        unit: '/s',
        ours: encrypted.rate,
        baseline: plain.rate,
        ratio: ratioOf(encrypted, plain),
      },
      {
        name: 'processor time a request, gateway and service, TLS between them; against plain HTTP',
        unit: 'µs',
        ours: serverMicroseconds(encrypted),
        baseline: serverMicroseconds(plain),
      },
      ...detailRows('TLS to the service', encrypted),
      ...detailRows('plain HTTP to the service', plain),
    ];
  } finally {
    await processes.stop();
  }
}

/** @param {Processes} processes */
async function start(processes) {
  const [natsPort, ...ports] = await freePorts(9);
  const natsUrl = await processes.startBroker(/** @type {number} */ (natsPort));
  /** @type {typeof import('../../libs/database/src/index.js')} */
  const { newId } = await import(builtFile('libs/database'));
  const signed = await signToken(newId());
  const request = requestText(
    'GET',
    '/api/auth/constant?page=2&size=25',
    `authorization: Bearer ${signed.sign(newId())}\r\n`,
  );
  const files = await certificateFiles(processes.folder);
  const pairs = [
    { name: 'plain HTTP', service: {}, gateway: {}, scheme: 'http' },
    {
      name: 'TLS',
      service: { TLS_CERT_FILE: files.certificate, TLS_KEY_FILE: files.key },
      gateway: { UPSTREAM_CA_FILE: files.authority },
      scheme: 'https',
    },
  ];
  /** @type {import('../processes.mjs').Subject[]} */
  const subjects = [];
  for (const { name, scheme, ...environments } of pairs) {
    const [port, operationsPort, servicePort, serviceOps] = /** @type {[number, number, number, number]} */ (
      ports.splice(0, 4)
    );
    const service = await processes.startIdentity(
      { port: servicePort, operationsPort: serviceOps, natsUrl },
      signed.publicKey,
      undefined,
      environments.service,
    );
    const urls = ['IDENTITY', 'CUSTOM_OBJECTS', 'MARKETPLACE', 'AUTOMATIONS', 'WEBHOOKS'].map((upstream) => [
      `${upstream}_URL`,
      `${scheme}://localhost:${servicePort}`,
    ]);
    const gateway = await processes.startGateway(
      { port, operationsPort, natsUrl },
      { ...Object.fromEntries(urls), ...environments.gateway },
    );
    subjects.push({ name, port, processes: [gateway, service] });
  }
  return { subjects, next: () => request };
}

/** @param {string} folder */
async function certificateFiles(folder) {
  const authority = await certificateAuthority();
  const { cert, key } = await authority.sign(['localhost']);
  const place = (/** @type {string} */ name) => path.join(folder, name);
  const files = { certificate: place('tls.crt'), key: place('tls.key'), authority: place('ca.crt') };
  await writeFile(files.certificate, cert);
  await writeFile(files.key, key);
  await writeFile(files.authority, authority.ca);
  return files;
}

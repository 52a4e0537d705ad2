import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { connect as tlsConnect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { eventually } from '../demo/client.mjs';
import { get } from '../processes/readiness.mjs';
import { run } from '../processes/run.mjs';
import { builtFile, inRoot } from '../root.mjs';
import { certificateAuthority } from '../servers/certificate-authority.mjs';
import { freePorts } from '../servers/free-port.mjs';
import { knowsSyncInterval, natsProgram } from '../servers/programs.mjs';

const PASSWORD = 'p0123';
/** Longest wait for three servers to elect a leader. */
const READY_MS = 20_000;

/** @type {string} */
let folder;
/** @type {import('node:child_process').ChildProcess[]} */
let servers = [];
/** @type {Record<'client' | 'cluster' | 'monitor', number>[]} */
let ports;

/** @param {string} file below k8s/base/nats @param {string} kind @param {string} name @returns {Promise<any>} */
async function manifest(file, kind, name) {
  const documents = parseAllDocuments(await readFile(inRoot('k8s', 'base', 'nats', file), 'utf8'));
  const found = documents.map((document) => document.toJS());
  return found.find((one) => one.kind === kind && one.metadata.name === name).spec;
}

/** Three servers on this machine with the very file of k8s, apart from addresses and folders. */
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'crm-nats-cluster-'));
  const free = await freePorts(9);
  const next = () => Number(free.pop());
  ports = [0, 1, 2].map(() => ({ client: next(), cluster: next(), monitor: next() }));
  await writeCertificate();
  const program = await natsProgram();
  const text = await readFile(inRoot('k8s', 'base', 'nats', 'nats.conf'), 'utf8');
  const known = (await knowsSyncInterval(program)) ? text : text.replace(/ *sync_interval: .*\n/, '');
  const [{ env }] = (await manifest('statefulset.yaml', 'StatefulSet', 'nats')).template.spec.containers;
  const limit = env.find((/** @type {any} */ { name }) => name === 'NATS_MAX_FILE_STORE').value;
  const passwords = Object.fromEntries(
    [...text.matchAll(/\$(NATS_PASSWORD_\w+)/g)].map(([, name]) => [name, PASSWORD]),
  );
  servers = await Promise.all(
    ports.map(async (own, ordinal) => {
      const file = path.join(folder, `nats-${ordinal}.conf`);
      await mkdir(path.join(folder, String(ordinal)));
      await writeFile(file, moved(known, ordinal, own));
      const given = { PATH: process.env.PATH, POD_NAME: `nats-${ordinal}`, NATS_MAX_FILE_STORE: limit, ...passwords };
      return spawn(program, ['--config', file], { env: given, stdio: 'ignore' });
    }),
  );
  await Promise.all(ports.map(({ monitor }) => healthy(monitor)));
});

/** @param {import('node:child_process').ChildProcess | undefined} server */
async function kill(server) {
  if (!server || server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, 'exit');
  server.kill('SIGKILL');
  await ended;
}

afterAll(async () => {
  await Promise.all(servers.map(kill));
  await rm(folder, { recursive: true, force: true });
});

/** With the names that cert-manager is asked for, and no other. */
async function writeCertificate() {
  const { ca, sign } = await certificateAuthority();
  const { dnsNames, ipAddresses: ips } = await manifest('certificates.yaml', 'Certificate', 'nats');
  const { cert, key } = await sign(dnsNames, { ips });
  const files = { 'tls.crt': cert, 'ca.crt': ca, 'tls.key': key };
  for (const [name, content] of Object.entries(files)) await writeFile(path.join(folder, name), content);
}

/** @param {string} text @param {number} ordinal @param {{ client: number, cluster: number, monitor: number }} own */
const moved = (text, ordinal, own) =>
  text
    .replace(/nats-(\d)\.nats-servers:6222/g, (_name, n) => `localhost:${ports[Number(n)]?.cluster}`)
    .replace('port: 4222', `port: ${own.client}`)
    .replace('0.0.0.0:8222', `127.0.0.1:${own.monitor}`)
    .replace('0.0.0.0:6222', `127.0.0.1:${own.cluster}`)
    .replace('host: "0.0.0.0"', 'host: "127.0.0.1"')
    .replace('/data/jetstream', path.join(folder, String(ordinal)))
    .replace('/var/run/nats', path.join(folder, String(ordinal)))
    .replaceAll('/etc/nats/tls', folder);

/** Asks what the startup probe asks. @param {number} monitor */
const healthy = (monitor) =>
  eventually(
    async () => (await get(`http://127.0.0.1:${monitor}/healthz`)).status === 200,
    'that a server is healthy',
    READY_MS,
  );

/** Runs a program with the client that the services use. Node reads NODE_EXTRA_CA_CERTS only when it starts.
 * @param {string} source @param {NodeJS.ProcessEnv} [environment] */
const client = (source, environment = {}) =>
  run(process.execPath, ['--input-type=module', '--eval', source], {
    cwd: inRoot('libs', 'messaging'),
    env: { PATH: process.env.PATH, ...environment },
  });

/** @param {number} ordinal */
const provisioning = (ordinal) => `
  import { provisionStreams } from '${builtFile('libs/messaging', 'server/provision-streams.js')}';
  await provisionStreams(
    { url: 'tls://localhost:${ports[ordinal]?.client}', user: 'provisioner', password: '${PASSWORD}' },
    { replicas: 3 },
  );`;

/** Tells whether a server lets another in, which shows after the handshake (TLS 1.3): it greets it, or closes the connection.
 * @param {{ key?: string | Buffer, cert?: string | Buffer }} credentials */
async function joins(credentials) {
  const port = /** @type {number} */ (ports[1]?.cluster);
  const socket = tlsConnect({ port, host: 'localhost', rejectUnauthorized: false, ...credentials });
  try {
    const [greeting] = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
    return String(greeting).startsWith('INFO ');
  } catch (error) {
    expect(String(error)).toMatch(/alert|ECONNRESET/);
    return false;
  } finally {
    socket.destroy();
  }
}

describe('the three servers of k8s/base/nats', () => {
  it('make streams with three copies for a client that trusts their authority', async () => {
    const outcome = await client(provisioning(0), { NODE_EXTRA_CA_CERTS: path.join(folder, 'ca.crt') });
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    const response = await fetch(`http://127.0.0.1:${ports[1]?.monitor}/jsz?streams=1&config=1`);
    const { account_details: accounts } = /** @type {any} */ (await response.json());
    /** @type {any[]} */
    const streams = accounts.flatMap((/** @type {any} */ account) => account.stream_detail);
    const found = streams.map(({ name, config, cluster }) => [name, config.num_replicas, cluster.replicas.length]);
    expect(found.sort()).toEqual([
      ['EVENTS', 3, 2],
      ['KV_revocations', 3, 2],
    ]);
  });

  it('store as much as the stateful set says, however much is free when they start', async () => {
    const response = await fetch(`http://127.0.0.1:${ports[0]?.monitor}/jsz`);
    const { config } = /** @type {any} */ (await response.json());
    expect(config.max_storage).toBe(18 * 2 ** 30);
  });

  it('are refused by a client that does not trust their authority', async () => {
    const outcome = await client(provisioning(0));
    expect(outcome.code).not.toBe(0);
    expect(outcome.stderr).toMatch(/unable to verify the first certificate|unable to get local issuer certificate/);
  });

  it('let no server join that shows no certificate of their authority', async () => {
    const stranger = await (await certificateAuthority()).sign(['nats']);
    const [key, cert] = await Promise.all(['tls.key', 'tls.crt'].map((name) => readFile(path.join(folder, name))));
    expect(await joins({})).toBe(false);
    expect(await joins(stranger)).toBe(false);
    expect(await joins({ key, cert })).toBe(true);
  });

  it('go on when one of them ends', async () => {
    await kill(servers[0]);
    const ca = { NODE_EXTRA_CA_CERTS: path.join(folder, 'ca.crt') };
    await eventually(async () => (await client(provisioning(1), ca)).code === 0, 'that two go on', READY_MS);
  });
});

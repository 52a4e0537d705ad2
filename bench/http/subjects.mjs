// The processes of the measurement, each in the way in which the platform starts it.
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { accepts, get } from '../../scripts/platform/readiness.mjs';
import { ChildServer } from '../../scripts/processes/child-server.mjs';
import { Guard } from '../../scripts/processes/guard.mjs';
import { lastLines, run } from '../../scripts/processes/run.mjs';
import { builtFile, inRoot } from '../../scripts/root.mjs';
import { freePorts } from '../../scripts/servers/free-port.mjs';
import { NATS_STOP_MS, startNats } from '../../scripts/servers/nats.mjs';

const START_TIMEOUT_MS = 30_000;
const STOP_MS = 15_000;
const ISSUER = 'http://127.0.0.1:8080';
const KEY_ID = 'bench';
const PASSWORD = 'bench';
const SERVICE = path.join(import.meta.dirname, 'service');

/**
 * @typedef {object} Subject
 * @property {string} name
 * @property {number} port on 127.0.0.1
 * @property {readonly { name: string, pid: number }[]} processes that work on a request, ours excepted
 */

/**
 * Starts NATS, the two bare servers, the service and the gateway.
 * @returns {Promise<{ bare: Subject, bareProxy: Subject, direct: Subject, gateway: Subject, token: string, publicKey: import('jose').JWK, stop: () => Promise<void> }>}
 */
export async function startSubjects() {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'crm-bench-'));
  const guard = new Guard({ throwawayFolder: folder });
  /** @type {(() => Promise<void>)[]} */
  const stops = [];
  const stop = async () => {
    for (const step of stops.toReversed()) await step();
    await rm(folder, { recursive: true, force: true });
    guard.dismiss();
  };
  /**
   * @param {string} name
   * @param {string} file
   * @param {NodeJS.ProcessEnv} environment
   * @param {() => Promise<boolean>} isReady
   */
  const start = async (name, file, environment, isReady) => {
    const child = await ChildServer.start({
      name,
      command: process.execPath,
      args: [...(process.env.BENCH_NODE_OPTIONS?.split(' ') ?? []), '--enable-source-maps', file],
      env: { ...process.env, ...environment },
      logFile: path.join(folder, 'logs', `${name}.log`),
      guard,
      kind: 'services',
    });
    stops.push(() => child.stop('SIGTERM', STOP_MS));
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (!(await isReady())) {
      if (child.outcome !== undefined || Date.now() > deadline) {
        throw new Error(`${name} did not start: ${child.lastLines(20).join('\n')}`);
      }
      await delay(50);
    }
    return { name, pid: /** @type {number} */ (child.pid) };
  };
  try {
    const [natsPort, barePort, proxyPort, servicePort, serviceOps, gatewayPort, gatewayOps] =
      /** @type {[number, number, number, number, number, number, number]} */ (await freePorts(7));
    const natsUrl = await startBroker(folder, natsPort, guard, stops);
    const { token, publicKey } = await signToken();
    await bundleService();
    const bare = await start(
      'bare',
      path.join(import.meta.dirname, 'servers', 'bare.mjs'),
      { PORT: String(barePort) },
      () => accepts(barePort),
    );
    const bareProxy = await start(
      'bare proxy',
      path.join(import.meta.dirname, 'servers', 'bare-proxy.mjs'),
      { PORT: String(proxyPort), UPSTREAM: `http://127.0.0.1:${barePort}` },
      () => accepts(proxyPort),
    );
    const ofPlatform = (/** @type {number} */ port, /** @type {number} */ operationsPort) => ({
      PROFILE: 'development',
      PORT: String(port),
      OPS_PORT: String(operationsPort),
      LOG_LEVEL: process.env.LOG_LEVEL ?? 'info',
      TOKEN_ISSUER: ISSUER,
      NATS_URL: natsUrl,
      NATS_PASSWORD: PASSWORD,
    });
    const isReady = (/** @type {number} */ port) => async () =>
      (await get(`http://127.0.0.1:${port}/readyz`)).status === 200;
    const service = await start(
      'service',
      path.join(SERVICE, 'dist', 'main.js'),
      { ...ofPlatform(servicePort, serviceOps), BENCH_PUBLIC_KEY: JSON.stringify(publicKey) },
      isReady(serviceOps),
    );
    const gateway = await start(
      'gateway',
      inRoot('apps', 'gateway', 'dist', 'main.js'),
      {
        ...ofPlatform(gatewayPort, gatewayOps),
        IDENTITY_URL: `http://127.0.0.1:${servicePort}`,
        RATE_LIMIT_PRINCIPAL: '1000000000',
        RATE_LIMIT_TENANT: '1000000000',
      },
      isReady(gatewayOps),
    );
    return {
      bare: { name: 'bare Fastify', port: barePort, processes: [bare] },
      bareProxy: { name: 'bare Fastify behind bare reply-from', port: proxyPort, processes: [bareProxy, bare] },
      direct: { name: 'service, direct', port: servicePort, processes: [service] },
      gateway: { name: 'service, through the gateway', port: gatewayPort, processes: [gateway, service] },
      token,
      publicKey,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * NATS with the users, streams and buckets of the platform.
 * @param {string} folder
 * @param {number} port
 * @param {Guard} guard
 * @param {(() => Promise<void>)[]} stops
 * @returns {Promise<string>} its URL
 */
async function startBroker(folder, port, guard, stops) {
  /** @type {typeof import('../../libs/contracts/src/services.js')} */
  const { SERVICES } = await import(builtFile('libs/contracts', 'services.js'));
  const passwords = Object.fromEntries([...SERVICES, 'provisioner'].map((user) => [user, PASSWORD]));
  const { url, process: nats } = await startNats({ dataDir: path.join(folder, 'nats'), port, passwords, guard });
  stops.push(() => nats.stop('SIGTERM', NATS_STOP_MS));
  /** @type {typeof import('../../libs/messaging/src/server/provision-streams.js')} */
  const { provisionStreams } = await import(builtFile('libs/messaging', 'server/provision-streams.js'));
  await provisionStreams({ url, user: 'provisioner', password: PASSWORD }, { replicas: 1 });
  return url;
}

/** The build of every service, for ours. */
async function bundleService() {
  const outcome = await run(process.execPath, [inRoot('scripts', 'bundle.mjs')], { cwd: SERVICE });
  if (outcome.code !== 0) throw new Error(`The service could not be bundled:\n${lastLines(outcome.stderr, 20)}`);
}

/** An access token as identity makes them for somebody who signed in; valid for longer than the measurement takes. */
async function signToken() {
  /** @type {typeof import('../../libs/contracts/src/index.js')} */
  const { ACCESS_TOKEN_TYPE, AUDIENCES } = await import(builtFile('libs/contracts'));
  /** @type {typeof import('../../libs/database/src/index.js')} */
  const { newId } = await import(builtFile('libs/database'));
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
  const token = await new SignJWT({ tid: newId(), roles: ['admin'], scopes: [], sid: newId() })
    .setProtectedHeader({ alg: 'EdDSA', typ: ACCESS_TOKEN_TYPE, kid: KEY_ID })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCES.api)
    .setSubject(newId())
    .setJti(newId())
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey);
  return { token, publicKey: { ...(await exportJWK(publicKey)), kid: KEY_ID, alg: 'EdDSA', use: 'sig' } };
}

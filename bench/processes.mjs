// What measurements over HTTP share: processes started as the platform starts them, a broker, and a signed token.
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { get } from '../scripts/platform/readiness.mjs';
import { ChildServer } from '../scripts/processes/child-server.mjs';
import { Guard } from '../scripts/processes/guard.mjs';
import { lastLines, run } from '../scripts/processes/run.mjs';
import { builtFile, inRoot } from '../scripts/root.mjs';
import { NATS_STOP_MS, startNats } from '../scripts/servers/nats.mjs';

const START_TIMEOUT_MS = 120_000;
const STOP_MS = 15_000;
const ISSUER = 'http://127.0.0.1:8080';
const KEY_ID = 'bench';
/** Of every user of the broker. */
export const PASSWORD = 'bench';
/** Plays identity: a route that does nothing, the keys of tokens and the settings of tenants. */
const IDENTITY = path.join(import.meta.dirname, 'identity');

/**
 * @typedef {object} Subject
 * @property {string} name
 * @property {number} port on 127.0.0.1
 * @property {readonly { name: string, pid: number, withChildren?: boolean }[]} processes that work on a request, ours excepted
 */

/** Processes of one measurement; all of them end with it, also when it fails or is killed. */
export class Processes {
  /** @type {(() => Promise<void>)[]} */
  stops = [];
  /** NATS, once it is started. @type {Subject['processes'][number] | undefined} */
  broker;

  /**
   * @param {string} folder
   * @param {Guard} guard
   */
  constructor(folder, guard) {
    this.folder = folder;
    this.guard = guard;
  }

  static async open() {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'crm-bench-'));
    return new Processes(folder, new Guard({ throwawayFolder: folder }));
  }

  async stop() {
    for (const step of this.stops.toReversed()) await step();
    await rm(this.folder, { recursive: true, force: true });
    this.guard.dismiss();
  }

  /**
   * @param {string} name
   * @param {string} file
   * @param {NodeJS.ProcessEnv} environment
   * @param {() => Promise<boolean>} isReady
   * @param {readonly string[]} [args] of the program
   */
  start(name, file, environment, isReady, args = []) {
    const options = process.env.BENCH_NODE_OPTIONS?.split(' ') ?? [];
    const all = [...options, '--enable-source-maps', file, ...args];
    return this.startProgram(name, process.execPath, all, isReady, environment);
  }

  /**
   * @param {string} name
   * @param {string} command
   * @param {readonly string[]} args
   * @param {() => Promise<boolean>} isReady
   * @param {NodeJS.ProcessEnv} [environment]
   */
  async startProgram(name, command, args, isReady, environment = {}) {
    const child = await ChildServer.start({
      name,
      command,
      args: [...args],
      env: { ...process.env, ...environment },
      logFile: path.join(this.folder, 'logs', `${name}.log`),
      guard: this.guard,
      kind: 'services',
    });
    this.stops.push(() => child.stop('SIGTERM', STOP_MS));
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (!(await isReady())) {
      if (child.outcome !== undefined || Date.now() > deadline) {
        throw new Error(`${name} did not start: ${child.lastLines(20).join('\n')}`);
      }
      await delay(50);
    }
    return { name, pid: /** @type {number} */ (child.pid) };
  }

  /**
   * A service of the platform.
   * @param {string} name
   * @param {string} file
   * @param {{ port: number, operationsPort: number, natsUrl: string }} place
   * @param {NodeJS.ProcessEnv} environment
   */
  startService(name, file, { port, operationsPort, natsUrl }, environment) {
    const common = {
      PROFILE: 'development',
      PORT: String(port),
      OPS_PORT: String(operationsPort),
      LOG_LEVEL: process.env.LOG_LEVEL ?? 'info',
      TOKEN_ISSUER: ISSUER,
      NATS_URL: natsUrl,
      NATS_PASSWORD: PASSWORD,
    };
    return this.start(name, file, { ...common, ...environment }, async () => {
      return (await get(`http://127.0.0.1:${operationsPort}/readyz`)).status === 200;
    });
  }

  /**
   * The gateway, without limits that a measurement would reach.
   * @param {{ port: number, operationsPort: number, natsUrl: string }} place
   * @param {NodeJS.ProcessEnv} upstreams
   */
  startGateway(place, upstreams) {
    const limits = { RATE_LIMIT_PRINCIPAL: '1000000000', RATE_LIMIT_TENANT: '1000000000' };
    return this.startService('gateway', inRoot('apps', 'gateway', 'dist', 'main.js'), place, {
      ...limits,
      ...upstreams,
    });
  }

  /**
   * @param {{ port: number, operationsPort: number, natsUrl: string }} place
   * @param {import('jose').JWK} publicKey
   * @param {import('jose').JWK} [privateKey] with which it signs the tokens that API keys are exchanged for
   */
  async startIdentity(place, publicKey, privateKey) {
    const outcome = await run(process.execPath, [inRoot('scripts', 'bundle.mjs')], { cwd: IDENTITY });
    if (outcome.code !== 0) throw new Error(`The service could not be bundled:\n${lastLines(outcome.stderr, 20)}`);
    const file = path.join(IDENTITY, 'dist', 'main.js');
    return this.startService('service', file, place, {
      BENCH_PUBLIC_KEY: JSON.stringify(publicKey),
      ...(privateKey && { BENCH_PRIVATE_KEY: JSON.stringify(privateKey) }),
    });
  }

  /**
   * NATS with the users, streams and buckets of the platform.
   * @param {number} port
   * @returns {Promise<string>} its URL
   */
  async startBroker(port) {
    /** @type {typeof import('../libs/contracts/src/services.js')} */
    const { SERVICES } = await import(builtFile('libs/contracts', 'services.js'));
    const passwords = Object.fromEntries([...SERVICES, 'provisioner'].map((user) => [user, PASSWORD]));
    const dataDir = path.join(this.folder, 'nats');
    const { url, process: nats } = await startNats({ dataDir, port, passwords, guard: this.guard });
    this.stops.push(() => nats.stop('SIGTERM', NATS_STOP_MS));
    this.broker = { name: 'NATS', pid: /** @type {number} */ (nats.pid) };
    /** @type {typeof import('../libs/messaging/src/server/provision-streams.js')} */
    const { provisionStreams } = await import(builtFile('libs/messaging', 'server/provision-streams.js'));
    await provisionStreams({ url, user: 'provisioner', password: PASSWORD }, { replicas: 1 });
    return url;
  }
}

/**
 * An access token as identity makes them for somebody who signed in; valid for longer than a measurement takes.
 * @param {string} tenantId
 */
export async function signToken(tenantId) {
  /** @type {typeof import('../libs/contracts/src/index.js')} */
  const { ACCESS_TOKEN_TYPE, AUDIENCES } = await import(builtFile('libs/contracts'));
  /** @type {typeof import('../libs/database/src/index.js')} */
  const { newId } = await import(builtFile('libs/database'));
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  const sign = (/** @type {string} */ tid) =>
    new SignJWT({ tid, roles: ['admin'], scopes: [], sid: newId() })
      .setProtectedHeader({ alg: 'EdDSA', typ: ACCESS_TOKEN_TYPE, kid: KEY_ID })
      .setIssuer(ISSUER)
      .setAudience(AUDIENCES.api)
      .setSubject(newId())
      .setJti(newId())
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(privateKey);
  return {
    token: await sign(tenantId),
    sign,
    publicKey: { ...(await exportJWK(publicKey)), kid: KEY_ID, alg: 'EdDSA', use: 'sig' },
    privateKey: { ...(await exportJWK(privateKey)), kid: KEY_ID },
  };
}

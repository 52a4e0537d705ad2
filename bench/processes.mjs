// What measurements over HTTP share: processes started as the platform starts them, a broker, and a signed token.
import { generateKeyPairSync, sign as signBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
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
      ACCOUNT_PAGE_DIR: inRoot('apps', 'account-page', 'dist'),
      ...upstreams,
    });
  }

  /**
   * @param {{ port: number, operationsPort: number, natsUrl: string }} place
   * @param {import('jose').JWK} publicKey
   * @param {import('jose').JWK} [privateKey] with which it signs the tokens that API keys are exchanged for
   * @param {NodeJS.ProcessEnv} [environment]
   */
  async startIdentity(place, publicKey, privateKey, environment) {
    const outcome = await run(process.execPath, [inRoot('scripts', 'bundle.mjs')], { cwd: IDENTITY });
    if (outcome.code !== 0) throw new Error(`The service could not be bundled:\n${lastLines(outcome.stderr, 20)}`);
    const file = path.join(IDENTITY, 'dist', 'main.js');
    return this.startService('service', file, place, {
      BENCH_PUBLIC_KEY: JSON.stringify(publicKey),
      ...(privateKey && { BENCH_PRIVATE_KEY: JSON.stringify(privateKey) }),
      ...environment,
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

/** How long one token is used: any is refused that was made a quarter of an hour ago. */
const TOKEN_USE_MS = 300_000;

/**
 * Access tokens as identity makes them for somebody who signed in.
 * @param {string} tenantId
 */
export async function signToken(tenantId) {
  /** @type {typeof import('../libs/contracts/src/index.js')} */
  const { ACCESS_TOKEN_SECONDS, ACCESS_TOKEN_TYPE, AUDIENCES } = await import(builtFile('libs/contracts'));
  /** @type {typeof import('../libs/database/src/index.js')} */
  const { newId } = await import(builtFile('libs/database'));
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const part = (/** @type {object} */ value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const head = part({ alg: 'EdDSA', typ: ACCESS_TOKEN_TYPE, kid: KEY_ID });
  const sign = (/** @type {string} */ tid) => {
    const iat = Math.floor(Date.now() / 1000);
    const text = `${head}.${part({
      iss: ISSUER,
      aud: AUDIENCES.api,
      sub: newId(),
      tid,
      roles: ['admin'],
      scopes: [],
      sid: newId(),
      jti: newId(),
      iat,
      exp: iat + ACCESS_TOKEN_SECONDS,
    })}`;
    return `${text}.${signBytes(null, Buffer.from(text), privateKey).toString('base64url')}`;
  };
  let present = { token: '', madeAtMs: 0 };
  return {
    /** A token of the tenant that is still valid for ten minutes; ask anew for each request of a long measurement. */
    get token() {
      const now = Date.now();
      if (now - present.madeAtMs > TOKEN_USE_MS) present = { token: sign(tenantId), madeAtMs: now };
      return present.token;
    },
    sign,
    publicKey: { ...publicKey.export({ format: 'jwk' }), kid: KEY_ID, alg: 'EdDSA', use: 'sig' },
    privateKey: { ...privateKey.export({ format: 'jwk' }), kid: KEY_ID },
  };
}

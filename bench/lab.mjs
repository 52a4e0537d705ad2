// What measurements run on: servers, services in the way in which the platform starts them, and bare servers to compare with.
import { generateKeyPairSync, sign as signBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { ACCESS_TOKEN_SECONDS, ACCESS_TOKEN_TYPE, AUDIENCES, DATABASES, SERVICES } from '@crm/contracts';
import { newId, provisionDatabase, runMigrations } from '@crm/database';
import { provisionStreams } from '@crm/messaging';
import pg from 'pg';
import { ChildServer } from '../scripts/processes/child-server.mjs';
import { Guard } from '../scripts/processes/guard.mjs';
import { accepts, get } from '../scripts/processes/readiness.mjs';
import { runOrFail } from '../scripts/processes/run.mjs';
import { inRoot } from '../scripts/root.mjs';
import { freePorts } from '../scripts/servers/free-port.mjs';
import { NATS_STOP_MS, startNats } from '../scripts/servers/nats.mjs';
import { POSTGRES_STOP_MS, startPostgres } from '../scripts/servers/postgres.mjs';

/** @typedef {{ name: string, pid: number, withChildren?: boolean }} MeasuredProcess */
/** What is measured: a port on 127.0.0.1, and the processes that work on a request, ours excepted. */
/** @typedef {{ name: string, port: number, processes: readonly MeasuredProcess[] }} Subject */
/** @typedef {'identity' | 'custom-objects' | 'automation-hooks' | 'webhook-dispatcher'} StatefulName */

const START_TIMEOUT_MS = 120_000;
const STOP_MS = 15_000;
export const ISSUER = 'http://127.0.0.1:8080';
const KEY_ID = 'bench';
/** Any access token is refused that is older than a quarter of an hour. */
const TOKEN_USE_MS = 300_000;
/** Of every user of the broker and of PostgreSQL. */
export const PASSWORD = 'bench';
/** More than a measurement reaches. */
export const NO_LIMIT = '1000000000';

const isQuick = process.env.BENCH_QUICK === '1';

/** A number that the variable `BENCH_<name>` replaces and `--quick` makes small. */
export const setting = (/** @type {string} */ name, /** @type {number} */ usual, quick = usual) =>
  Number(process.env[`BENCH_${name}`] ?? (isQuick ? quick : usual));

/** The servers and services of one measurement. Each is started once; all of them end with it. */
export class Lab {
  /** @type {(() => Promise<unknown>)[]} */
  stops = [];
  /** @type {Map<string, Promise<any>>} */
  #started = new Map();
  #keys = generateKeyPairSync('ed25519');
  /** @type {Map<string, { line: string, madeAtMs: number }>} */
  #tokens = new Map();
  tenantId = newId();

  /** @param {string} folder @param {Guard} guard */
  constructor(folder, guard) {
    this.folder = folder;
    this.guard = guard;
  }

  static async open() {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'crm-bench-'));
    return new Lab(folder, new Guard({ throwawayFolder: folder }));
  }

  async stop() {
    for (const stop of this.stops.toReversed()) await stop();
    await rm(this.folder, { recursive: true, force: true });
    this.guard.dismiss();
  }

  /** @template T @param {string} name @param {() => Promise<T>} start @returns {Promise<T>} */
  #once(name, start) {
    const started = this.#started.get(name) ?? start();
    this.#started.set(name, started);
    return started;
  }

  /**
   * @param {string} name @param {string} command @param {readonly string[]} args
   * @param {() => Promise<boolean>} isReady @param {NodeJS.ProcessEnv} [environment] @returns {Promise<MeasuredProcess>}
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
    await child.untilReady(isReady, START_TIMEOUT_MS);
    return { name, pid: Number(child.pid) };
  }

  /** A program of bench/servers, which listens on PORT. @param {string} file @param {NodeJS.ProcessEnv} [environment] */
  async server(file, environment = {}) {
    const [port = 0] = await freePorts(1);
    const program = path.join(import.meta.dirname, 'servers', file);
    const env = { PORT: String(port), ...environment };
    const started = await this.startProgram(
      path.parse(file).name,
      process.execPath,
      [program],
      () => accepts(port),
      env,
    );
    return { port, process: started };
  }

  /** A bare Fastify that answers as one of ours would, as a subject. @param {string} what in servers/bare.mjs @param {string} name */
  async bare(what, name, environment = {}, processes = /** @type {MeasuredProcess[]} */ ([])) {
    const { port, process: bare } = await this.server('bare.mjs', { ...environment, BARE: what });
    return { name, port, processes: [bare, ...processes] };
  }

  /** NATS with the users, streams and buckets of the platform. */
  broker() {
    return this.#once('NATS', async () => {
      const [port = 0] = await freePorts(1);
      const passwords = Object.fromEntries([...SERVICES, 'provisioner'].map((user) => [user, PASSWORD]));
      const dataDir = path.join(this.folder, 'nats');
      const { url, process: nats } = await startNats({ dataDir, port, passwords, guard: this.guard });
      this.stops.push(() => nats.stop('SIGTERM', NATS_STOP_MS));
      await provisionStreams({ url, user: 'provisioner', password: PASSWORD }, { replicas: 1 });
      return { url, process: /** @type {MeasuredProcess} */ ({ name: 'NATS', pid: Number(nats.pid) }) };
    });
  }

  /** PostgreSQL, the same for all sides. @param {{ durable?: boolean }} [options] durable: a commit is on disk */
  postgres({ durable = false } = {}) {
    return this.#once('Postgres', async () => {
      const [port = 0] = await freePorts(1);
      const { url, process: server } = await startPostgres({
        dataDir: path.join(this.folder, 'postgres'),
        port,
        password: PASSWORD,
        throwaway: !durable,
        guard: this.guard,
      });
      this.stops.push(() => server.stop('SIGINT', POSTGRES_STOP_MS));
      return { url, process: { name: 'Postgres', pid: Number(server.pid), withChildren: true } };
    });
  }

  /** The migrated database of a service: what the service is told of it, and a pool of the superuser. @param {StatefulName} service */
  database(service) {
    return this.#once(`database of ${service}`, async () => {
      const { url: adminUrl } = await this.postgres();
      const { migrations } = await import(inRoot('apps', service, 'dist', 'migrations', 'index.js'));
      const passwords = { owner: PASSWORD, runtime: PASSWORD, narrow: PASSWORD };
      const urls = await provisionDatabase({ adminUrl, definition: DATABASES[service], passwords });
      await runMigrations({ ownerUrl: urls.ownerUrl, migrations });
      const url = new URL(adminUrl);
      url.pathname = new URL(urls.runtimeUrl).pathname;
      const admin = new pg.Pool({ connectionString: url.href, max: 1 });
      // A server that ends takes its connections along.
      admin.on('error', () => undefined);
      this.stops.push(() => admin.end());
      const environment = { DATABASE_URL: urls.runtimeUrl, DATABASE_NARROW_URL: urls.narrowUrl };
      return { environment, admin, adminUrl: url.href };
    });
  }

  /** A service of the platform. @param {string} name @param {NodeJS.ProcessEnv} [environment] @param {string} [file] */
  async service(name, environment = {}, file = inRoot('apps', name, 'dist', 'main.js')) {
    const [port = 0, operationsPort = 0] = await freePorts(2);
    const { url } = await this.broker();
    const env = {
      PROFILE: 'development',
      PORT: String(port),
      OPS_PORT: String(operationsPort),
      LOG_LEVEL: process.env.LOG_LEVEL ?? 'info',
      TOKEN_ISSUER: ISSUER,
      NATS_URL: url,
      NATS_PASSWORD: PASSWORD,
      KEY_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
      // Nobody listens on the discard port: no mail is sent.
      SMTP_URL: 'smtp://127.0.0.1:9',
      ...environment,
    };
    const args = [...(process.env.BENCH_NODE_OPTIONS?.split(' ') ?? []), '--enable-source-maps', file];
    const isReady = async () => (await get(`http://127.0.0.1:${operationsPort}/readyz`)).status === 200;
    const started = await this.startProgram(name, process.execPath, args, isReady, env);
    return { port, url: `http://127.0.0.1:${port}`, process: started };
  }

  /** The gateway, without limits that a measurement would reach. @param {NodeJS.ProcessEnv} environment */
  gateway(environment) {
    return this.service('gateway', {
      RATE_LIMIT_PRINCIPAL: NO_LIMIT,
      RATE_LIMIT_TENANT: NO_LIMIT,
      RATE_LIMIT_HOOK: NO_LIMIT,
      RATE_LIMIT_HOOK_ADDRESS: NO_LIMIT,
      ACCOUNT_PAGE_DIR: inRoot('apps', 'account-page', 'dist'),
      ...environment,
    });
  }

  /** Plays identity: a route that does nothing, the keys of tokens and the settings of tenants. @param {NodeJS.ProcessEnv} [environment] */
  async identity(environment) {
    const folder = path.join(import.meta.dirname, 'identity');
    await this.#once('bundle', () => runOrFail(process.execPath, [inRoot('scripts', 'bundle.mjs')], { cwd: folder }));
    const privateKey = { ...this.#keys.privateKey.export({ format: 'jwk' }), kid: KEY_ID };
    const keys = { BENCH_PUBLIC_KEY: JSON.stringify(this.publicKey), BENCH_PRIVATE_KEY: JSON.stringify(privateKey) };
    return this.service('service', { ...keys, ...environment }, path.join(folder, 'dist', 'main.js'));
  }

  get publicKey() {
    return { ...this.#keys.publicKey.export({ format: 'jwk' }), kid: KEY_ID, alg: 'EdDSA', use: 'sig' };
  }

  /** An access token as identity makes them for somebody who signed in. */
  sign(tenantId = this.tenantId) {
    const iat = Math.floor(Date.now() / 1000);
    const part = (/** @type {object} */ value) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const person = { sub: newId(), tid: tenantId, roles: ['admin'], scopes: [], sid: newId(), jti: newId() };
    const claims = { iss: ISSUER, aud: AUDIENCES.api, ...person, iat, exp: iat + ACCESS_TOKEN_SECONDS };
    const text = `${part({ alg: 'EdDSA', typ: ACCESS_TOKEN_TYPE, kid: KEY_ID })}.${part(claims)}`;
    return `${text}.${signBytes(null, Buffer.from(text), this.#keys.privateKey).toString('base64url')}`;
  }

  /** The header line of a user of a tenant. Ask anew for each request: it is renewed before the token is too old. */
  authorization(tenantId = this.tenantId) {
    let known = this.#tokens.get(tenantId);
    if (!known || Date.now() - known.madeAtMs > TOKEN_USE_MS) {
      known = { line: `authorization: Bearer ${this.sign(tenantId)}\r\n`, madeAtMs: Date.now() };
      this.#tokens.set(tenantId, known);
    }
    return known.line;
  }
}

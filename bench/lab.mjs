// What measurements run on: servers, services in the way in which the platform starts them, and bare servers to compare with.
import { generateKeyPairSync, sign as signBytes } from 'node:crypto';
import path from 'node:path';
import {
  ACCESS_TOKEN_SECONDS,
  ACCESS_TOKEN_TYPE,
  API_KEY_TOKEN_SECONDS,
  AUDIENCES,
  DATABASES,
  rpc,
} from '@crm/contracts';
import { newId, provisionDatabase, runMigrations } from '@crm/database';
import { NatsConnection, provisionStreams } from '@crm/messaging';
import pg from 'pg';
import { ChildServer } from '../scripts/processes/child-server.mjs';
import { accepts, get } from '../scripts/processes/readiness.mjs';
import { runOrFail } from '../scripts/processes/run.mjs';
import { inRoot } from '../scripts/root.mjs';
import { freePorts } from '../scripts/servers/free-port.mjs';
import { startThrowawayServers } from '../scripts/servers/throwaway.mjs';

/** The programs that work on a request, without servers. @typedef {{ processes: readonly { name: string, pid: number }[] }} Working */
/** What is measured: a port on 127.0.0.1. @typedef {Working & { name: string, port: number }} Subject */
/** @typedef {import('@crm/contracts').StatefulService} StatefulService */
/** A program that listens on a port; behind: what works on its requests too.
 * @typedef {{ name: string, port: number, command?: string, args: readonly string[], env?: NodeJS.ProcessEnv, cwd?: string, behind?: readonly Working[], isReady?: () => Promise<boolean> }} Program */

const START_TIMEOUT_MS = 120_000;
const STOP_MS = 15_000;
export const ISSUER = 'http://127.0.0.1:8080';
const KEY_ID = 'bench';
/** Any access token is refused that is older than a quarter of an hour. */
const TOKEN_USE_MS = 300_000;
/** Every role of PostgreSQL has it. */
export const PASSWORD = 'bench';
/** More than a measurement reaches. */
export const NO_LIMIT = '1000000000';

/** The servers and services of one measurement. Each is started when it is needed; all of them end with it. */
export class Lab {
  /** What is done at the end, the last first. @type {(() => Promise<unknown> | undefined)[]} */
  stops = [];
  /** @type {Map<string, Promise<any>>} */
  #started = new Map();
  #keys = generateKeyPairSync('ed25519');
  /** @type {Map<string, { line: string, madeAtMs: number }>} */
  #tokens = new Map();
  tenantId = newId();

  async stop() {
    for (const stop of this.stops.toReversed()) await stop();
  }

  /** @template T @param {string} name @param {() => Promise<T>} start @returns {Promise<T>} */
  #once(name, start) {
    const started = this.#started.get(name) ?? start();
    this.#started.set(name, started);
    return started;
  }

  /** PostgreSQL and NATS with the streams and buckets of the platform, the same for all sides, and a folder.
   * @param {{ durable?: boolean }} [options] durable: a commit is on disk */
  servers(options) {
    return this.#once('servers', async () => {
      const servers = await startThrowawayServers(undefined, options);
      this.stops.push(servers.stop);
      const { nats, password } = servers;
      await provisionStreams({ url: nats.url, user: 'provisioner', password }, { replicas: 1 });
      return servers;
    });
  }

  /** @param {Program} program */
  async start({ name, port, args, env, cwd, behind = [], command = process.execPath, isReady = () => accepts(port) }) {
    const { folder, guard } = await this.servers();
    const logFile = path.join(folder, 'logs', `${name}.log`);
    const options = { name, command, args, env: { ...process.env, PORT: String(port), ...env }, cwd, logFile, guard };
    const child = await ChildServer.start(options);
    this.stops.push(() => child.stop('SIGTERM', STOP_MS));
    await child.untilReady(isReady, START_TIMEOUT_MS);
    const processes = [{ name, pid: Number(child.pid) }, ...behind.flatMap((one) => one.processes)];
    return { name, port, url: `http://127.0.0.1:${port}`, processes };
  }

  /** A program of bench/servers, which listens on PORT.
   * @param {string} name @param {NodeJS.ProcessEnv} [environment] @param {readonly Working[]} [behind] */
  async server(name, environment, behind) {
    const [port = 0] = await freePorts(1);
    const args = [path.join(import.meta.dirname, 'servers', `${name}.mjs`)];
    return this.start({ name, port, args, env: environment, behind });
  }

  /** A connection to the broker as one of its users. @param {import('@crm/messaging').NatsUser} user */
  async nats(user) {
    const { nats: server, password } = await this.servers();
    const service = /** @type {import('@crm/contracts').ServiceName} */ (user);
    const nats = await NatsConnection.open({ url: server.url, user, password, service });
    this.stops.push(() => nats.close());
    return nats;
  }

  /** Answers calls as the service that they are for. @param {import('@crm/contracts').RpcContract} contract @param {(request: any) => object} answer */
  async answer({ server, subject }, answer) {
    const nats = await this.nats(server);
    const replyTo = (/** @type {unknown} */ request) => JSON.stringify({ ok: true, data: answer(request) });
    nats.connection.subscribe(subject, {
      callback: (_error, message) => void message.respond(replyTo(message.json())),
    });
  }

  /** Plays identity at the broker: the keys of tokens, the settings of tenants, and API keys, which are all valid. */
  playIdentity() {
    return this.#once('identity', async () => {
      const settings = { name: 'Tenant', plan: 'enterprise', timeZone: 'Europe/Berlin', country: 'DE' };
      const ofKey = { scopes: ['leads'], api_key: true };
      await this.answer(rpc.identity.getKeys, () => ({ keys: [this.publicKey] }));
      await this.answer(rpc.identity.getTenant, ({ tenantId }) => ({ id: tenantId, ...settings }));
      for (const admitted of [rpc.identity.assertProof, rpc.identity.recordAct])
        await this.answer(admitted, () => ({}));
      await this.answer(rpc.identity.exchangeApiKey, ({ tenantId, keyId }) => ({
        token: this.sign(tenantId, { ...ofKey, sub: keyId, sid: keyId }, API_KEY_TOKEN_SECONDS),
        expiresIn: API_KEY_TOKEN_SECONDS,
      }));
    });
  }

  /** One connection to a database, until the end. @param {string} connectionString */
  connect(connectionString) {
    const pool = new pg.Pool({ connectionString, max: 1 });
    this.stops.push(() => pool.end());
    return pool;
  }

  /** The migrated database of a service: what the service is told of it, and a pool of the superuser. @param {StatefulService} service */
  database(service) {
    return this.#once(`database of ${service}`, async () => {
      const { url: adminUrl } = (await this.servers()).postgres;
      const { migrations } = await import(inRoot('apps', service, 'dist', 'migrations', 'index.js'));
      const passwords = { owner: PASSWORD, runtime: PASSWORD, narrow: PASSWORD };
      const urls = await provisionDatabase({ adminUrl, definition: DATABASES[service], passwords });
      await runMigrations({ ownerUrl: urls.ownerUrl, migrations });
      const { href } = Object.assign(new URL(adminUrl), { pathname: new URL(urls.runtimeUrl).pathname });
      const environment = { DATABASE_URL: urls.runtimeUrl, DATABASE_NARROW_URL: urls.narrowUrl };
      return { ...urls, environment, admin: this.connect(href), adminUrl: href };
    });
  }

  /** A service of the platform.
   * @param {string} name @param {NodeJS.ProcessEnv} [environment] @param {readonly Working[]} [behind] @param {string} [file] */
  async service(name, environment, behind, file = inRoot('apps', name, 'dist', 'main.js')) {
    const [port = 0, operationsPort = 0] = await freePorts(2);
    const { nats, password } = await this.servers();
    return this.start({
      name,
      port,
      args: ['--enable-source-maps', file],
      env: {
        PROFILE: 'development',
        OPS_PORT: String(operationsPort),
        TOKEN_ISSUER: ISSUER,
        NATS_URL: nats.url,
        NATS_PASSWORD: password,
        KEY_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
        // Nobody listens on the discard port: no mail is sent.
        SMTP_URL: 'smtp://127.0.0.1:9',
        ...environment,
      },
      behind,
      isReady: async () => (await get(`http://127.0.0.1:${operationsPort}/readyz`)).status === 200,
    });
  }

  /** The gateway, without limits that a measurement would reach.
   * @param {NodeJS.ProcessEnv} environment @param {readonly Working[]} behind */
  gateway(environment, behind) {
    const limits = ['PRINCIPAL', 'TENANT', 'HOOK', 'HOOK_ADDRESS'].map((limit) => [`RATE_LIMIT_${limit}`, NO_LIMIT]);
    const CONSOLE_DIR = inRoot('apps', 'console', 'dist');
    return this.service('gateway', { ...Object.fromEntries(limits), CONSOLE_DIR, ...environment }, behind);
  }

  /** A service with one route that does nothing. @param {NodeJS.ProcessEnv} [environment] */
  async constantService(environment) {
    const folder = path.join(import.meta.dirname, 'service');
    await this.#once('bundle', () => runOrFail(process.execPath, [inRoot('scripts', 'bundle.mjs')], { cwd: folder }));
    await this.playIdentity();
    return this.service('service', environment, [], path.join(folder, 'dist', 'main.js'));
  }

  /** A service, directly and through the gateway, next to a bare server on the same PostgreSQL.
   * @param {StatefulService} name @param {string} upstream what the gateway calls its address
   * @param {string} bare in servers/bare.mjs @param {NodeJS.ProcessEnv} [more] of the service */
  async beside(name, upstream, bare, more) {
    const { environment, adminUrl } = await this.database(name);
    const { postgres } = await this.servers();
    const database = { processes: [{ name: 'PostgreSQL', pid: Number(postgres.process.pid) }] };
    const below = await this.server('bare', { BARE: bare, DATABASE_URL: adminUrl }, [database]);
    await this.playIdentity();
    const direct = await this.service(name, { ...environment, ...more }, [database]);
    const gateway = await this.gateway({ [upstream]: direct.url }, [direct]);
    return {
      bare: { ...below, name: 'bare Fastify + pg' },
      direct: { ...direct, name: 'service, direct' },
      gateway: { ...gateway, name: 'service, through the gateway' },
    };
  }

  get publicKey() {
    return { ...this.#keys.publicKey.export({ format: 'jwk' }), kid: KEY_ID, alg: 'EdDSA', use: 'sig' };
  }

  /** An access token as identity makes them; by default for someone who signed in. */
  sign(tenantId = this.tenantId, more = {}, seconds = ACCESS_TOKEN_SECONDS) {
    const iat = Math.floor(Date.now() / 1000);
    const part = (/** @type {object} */ value) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const person = { sub: newId(), tid: tenantId, roles: ['admin'], scopes: [], sid: newId(), jti: newId(), ...more };
    const claims = { iss: ISSUER, aud: AUDIENCES.api, ...person, iat, exp: iat + seconds };
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

import path from 'node:path';
import { PlainError } from '../plain-error.mjs';
import { ChildServer, CrashError } from '../processes/child-server.mjs';
import { Guard } from '../processes/guard.mjs';
import { KeptAlive } from '../processes/kept-alive.mjs';
import { accepts, get } from '../processes/readiness.mjs';
import { runOrFail } from '../processes/run.mjs';
import { inRoot, ROOT } from '../root.mjs';
import { NATS_STOP_MS, startNats } from '../servers/nats.mjs';
import { POSTGRES_STOP_MS, startPostgres } from '../servers/postgres.mjs';
import { nodeProgram } from '../setup/node.mjs';
import { readableLogLine, rotateLog } from './log-files.mjs';
import { writeRunState } from './run-state.mjs';
import { serviceEnvironment } from './service-environment.mjs';
import { mainFile } from './services.mjs';

/** @typedef {import('./services.mjs').ServiceName} ServiceName */
/** @typedef {import('./provision.mjs').Provisioned['databases']} Databases */

/** A service finishes its requests and events; after this long it is killed. */
const SERVICE_STOP_MS = 15_000;
/** Longest wait for a service to say that it is ready. */
const READY_TIMEOUT_MS = 60_000;

/** outer: the environment of the start command; throwaway: the data is deleted afterwards; tell: for the person who watches.
 * @typedef {Awaited<ReturnType<typeof import('./run-platform.mjs').planPlatform>> & { dataDir: string, throwaway: boolean, outer: NodeJS.ProcessEnv, tell: (message: string) => void }} SupervisorOptions */

/** Runs the servers and the services of one platform, keeps them running, and stops them in the right order. */
export class Supervisor {
  #options;
  #guard;
  /** In the order of starting; stopped the other way round. @type {{ kept: KeptAlive, kind: 'services' | 'servers', signal: NodeJS.Signals, graceMs: number }[]} */
  #programs = [];
  #startedAt = new Date().toISOString();
  #ready = false;
  #stopped = false;
  /** @type {(error: Error) => void} */
  #fail = () => undefined;
  /** @type {Promise<never>} */
  failed;
  /** @type {Promise<void>} */
  #stateWritten = Promise.resolve();

  /** @param {SupervisorOptions} options */
  constructor(options) {
    this.#options = options;
    this.#guard = new Guard(options.throwaway ? { throwawayFolder: options.dataDir } : {});
    this.failed = new Promise((_, reject) => {
      this.#fail = reject;
    });
    // Anyone who awaits it handles it; a failure while nobody does must not end the process.
    this.failed.catch(() => undefined);
  }

  /** Starts the embedded PostgreSQL. */
  async startPostgres() {
    const { dataDir, layout, secrets, throwaway } = this.#options;
    const own = { logFile: await this.#logFile('postgres'), guard: this.#guard };
    const place = { dataDir: path.join(dataDir, 'postgres'), port: layout.servers.postgres };
    await this.#keep('PostgreSQL', 'servers', 'SIGINT', POSTGRES_STOP_MS, async () => {
      return (await startPostgres({ ...place, ...own, password: secrets.postgres, throwaway })).process;
    });
  }

  /** Starts the embedded NATS, with a user and permissions for each service. When it is started again its streams are
   * made again, in case its store was deleted; the services then publish again what the stream lacks. */
  async startNats() {
    const { dataDir, layout, secrets } = this.#options;
    const own = { logFile: await this.#logFile('nats'), guard: this.#guard };
    const place = { dataDir: path.join(dataDir, 'nats'), port: layout.servers.nats };
    await this.#keep('NATS', 'servers', 'SIGTERM', NATS_STOP_MS, async () => {
      const running = await startNats({ ...place, ...own, passwords: secrets.nats });
      if (this.#ready) this.#makeStreamsAgain();
      return running.process;
    });
  }

  /** Nobody waits for it: when NATS ends meanwhile, its next start makes them. */
  #makeStreamsAgain() {
    this.provision({ passwords: {}, services: [] }).catch((error) =>
      this.#options.tell(`The streams of NATS were not made again: ${error.message}`),
    );
  }

  /** Starts the mail catcher, which keeps the last messages in memory and shows them on a page. */
  async startMailCatcher() {
    const { smtp, mail } = this.#options.layout.servers;
    const program = inRoot('node_modules', 'maildev', 'dist', 'bin', 'maildev.js');
    const ports = [`--smtp=${smtp}`, `--web=${mail}`, '--ip=127.0.0.1', '--web-ip=127.0.0.1'];
    const start = await this.#nodeProgram('mail catcher', [program, ...ports, '--max-emails=500'], 'mail');
    const child = await this.#keep('mail catcher', 'services', 'SIGTERM', 3000, start);
    const isReady = async () => (await accepts(smtp)) && (await accepts(mail));
    await this.#untilReady(child, isReady, () => 'no port open');
  }

  /** Makes databases, roles, tables, streams and consumers, or brings them up to date.
   * @param {Omit<import('./provision.mjs').Order, 'databaseUrl' | 'nats'>} what @returns {Promise<import('./provision.mjs').Provisioned>} */
  async provision(what) {
    const { addresses, secrets } = this.#options;
    const nats = { url: addresses.natsUrl, user: 'provisioner', password: secrets.nats.provisioner ?? '' };
    /** @type {import('./provision.mjs').Order} */
    const order = { ...what, databaseUrl: addresses.databaseUrl, nats };
    const child = runOrFail(nodeProgram(), [inRoot('scripts', 'platform', 'provision.mjs')], {
      cwd: ROOT,
      input: JSON.stringify(order),
      failure: 'The databases or streams could not be brought up to date',
      lines: 15,
    });
    return JSON.parse(await Promise.race([child, this.failed]));
  }

  /** Creates the demo sign-ins; those that exist are left alone. @param {Databases} databases */
  async seed(databases) {
    await runOrFail(nodeProgram(), ['--enable-source-maps', inRoot('apps/identity/dist/seed.js')], {
      cwd: ROOT,
      env: this.#environmentOf('identity', databases),
      failure: 'The demo sign-ins could not be created',
      lines: 15,
    });
  }

  /** Starts every service and resolves when all of them are ready. @param {Databases} databases */
  async startServices(databases) {
    const start = async (/** @type {ServiceName} */ name) => {
      const file = mainFile(name);
      const environment = this.#environmentOf(name, databases);
      const program = await this.#nodeProgram(name, ['--enable-source-maps', file], name, environment);
      const child = await this.#keep(name, 'services', 'SIGTERM', SERVICE_STOP_MS, program);
      const url = `${this.#options.addresses.services[name]?.operationsUrl}/readyz`;
      let answer = { status: 0, body: 'no answer' };
      const isReady = async () => {
        answer = await get(url);
        return answer.status === 200;
      };
      await this.#untilReady(child, isReady, () => `${url}: ${answer.status || ''} ${answer.body}`);
    };
    await Promise.all(this.#options.services.map(start));
  }

  /** Everything answers: from now on a program that ends is started again. */
  async markReady() {
    this.#ready = true;
    for (const { kept } of this.#programs) kept.restarts = true;
    await this.#writeState();
  }

  /** Stops the services, then the servers. */
  async stop() {
    this.#stopped = true;
    const ofKind = (/** @type {string} */ kind) => this.#programs.filter((program) => program.kind === kind);
    await Promise.all(ofKind('services').map(({ kept, signal, graceMs }) => kept.stop(signal, graceMs)));
    for (const { kept, signal, graceMs } of ofKind('servers').toReversed()) await kept.stop(signal, graceMs);
    this.#guard.dismiss();
    await this.#stateWritten;
  }

  /** What starts a program of Node. @param {string} name @param {readonly string[]} args @param {string} log @param {NodeJS.ProcessEnv} [env] */
  async #nodeProgram(name, args, log, env) {
    const own = { logFile: await this.#logFile(log), guard: this.#guard };
    return () => ChildServer.start({ name, command: nodeProgram(), args, cwd: ROOT, env, ...own });
  }

  /** @param {string} name @param {'services' | 'servers'} kind @param {NodeJS.Signals} signal @param {number} graceMs
   * @param {() => Promise<ChildServer>} start */
  async #keep(name, kind, signal, graceMs, start) {
    const kept = new KeptAlive({
      name,
      start,
      onRestart: (crash) => this.#options.tell([crash.message, ...crash.lines.map(readableLogLine)].join('\n    ')),
      onGiveUp: (error) => this.#fail(this.#explain(error)),
      onChange: () => void this.#writeState(),
    });
    this.#programs.push({ kept, kind, signal, graceMs });
    return kept.start();
  }

  /** Until the platform is up nothing is restarted. @param {ChildServer} child @param {() => Promise<boolean>} isReady @param {() => string} seen */
  async #untilReady(child, isReady, seen) {
    await child.untilReady(isReady, READY_TIMEOUT_MS, seen).catch((error) => {
      throw this.#explain(error);
    });
  }

  /** @param {Error} error */
  #explain(error) {
    if (!(error instanceof CrashError)) return error;
    const lines = error.lines.map((line) => `  ${readableLogLine(line)}`).join('\n');
    return new PlainError(`${error.message}\n${lines}\nLogs: ${path.join(this.#options.dataDir, 'logs')}`);
  }

  /** @param {ServiceName} name @param {Databases} databases */
  #environmentOf(name, databases) {
    return serviceEnvironment(name, { ...this.#options, databases });
  }

  /** @param {string} name */
  async #logFile(name) {
    const file = path.join(this.#options.dataDir, 'logs', `${name}.log`);
    await rotateLog(file);
    return file;
  }

  /** Writes are done one after the other, so that an older state never replaces a newer one. */
  #writeState() {
    if (this.#stopped) return this.#stateWritten;
    this.#stateWritten = this.#stateWritten
      .then(() =>
        writeRunState(this.#options.dataDir, {
          supervisor: process.pid,
          startedAt: this.#startedAt,
          ready: this.#ready,
          addresses: this.#options.addresses,
          children: this.#programs.flatMap(({ kept }) => {
            const pid = kept.current?.outcome === undefined ? kept.current?.pid : undefined;
            return pid ? [{ name: kept.name, pid }] : [];
          }),
        }),
      )
      .catch((error) => this.#fail(error));
    return this.#stateWritten;
  }
}

import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PlainError } from '../plain-error.mjs';
import { ChildServer } from '../processes/child-server.mjs';
import { Guard } from '../processes/guard.mjs';
import { CrashError, KeptAlive, tellingLines } from '../processes/kept-alive.mjs';
import { lastLines, run } from '../processes/run.mjs';
import { inRoot, ROOT } from '../root.mjs';
import { NATS_STOP_MS, startNats } from '../servers/nats.mjs';
import { POSTGRES_STOP_MS, startPostgres } from '../servers/postgres.mjs';
import { readableLogLine, rotateLog } from './log-files.mjs';
import { accepts, get } from './readiness.mjs';
import { writeRunState } from './run-state.mjs';
import { serviceEnvironment } from './service-environment.mjs';
import { mainFile } from './services.mjs';

/** @typedef {import('./services.mjs').ServiceName} ServiceName */

/** A service finishes its requests and events; after this long it is killed. */
const SERVICE_STOP_MS = 15_000;
/** Longest wait for a service to say that it is ready. */
const READY_TIMEOUT_MS = 60_000;

/**
 * @typedef {object} SupervisorOptions
 * @property {string} dataDir
 * @property {import('./layout.mjs').Layout} layout
 * @property {import('./secrets.mjs').Secrets} secrets
 * @property {import('./addresses.mjs').Addresses} addresses
 * @property {readonly ServiceName[]} services
 * @property {boolean} throwaway the data is deleted afterwards
 * @property {NodeJS.ProcessEnv} outer the environment of the start command
 * @property {(message: string) => void} tell prints a line for the person who watches
 */

/** Runs the servers and the services of one platform, keeps them running, and stops them in the right order. */
export class Supervisor {
  #options;
  #guard;
  /** In the order of starting; stopped the other way round. @type {{ kept: KeptAlive, kind: 'services' | 'servers', signal: NodeJS.Signals, graceMs: number, command: string }[]} */
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
    // Whoever awaits it handles it; a failure while nobody does must not end the process.
    this.failed.catch(() => undefined);
  }

  /** Starts the embedded PostgreSQL. */
  async startPostgres() {
    const { dataDir, layout, secrets, throwaway } = this.#options;
    const logFile = await this.#logFile('postgres');
    await this.#keep('PostgreSQL', 'servers', 'SIGINT', POSTGRES_STOP_MS, 'postgres', async () => {
      const running = await startPostgres({
        dataDir: path.join(dataDir, 'postgres'),
        port: layout.servers.postgres,
        password: secrets.postgres,
        throwaway,
        guard: this.#guard,
        logFile,
      });
      return running.process;
    });
  }

  /** Starts the embedded NATS, with a user and permissions for each service. When it is started again its streams are
   * made again, in case its store was deleted; the services then publish again what the stream lacks. */
  async startNats() {
    const { dataDir, layout, secrets } = this.#options;
    const logFile = await this.#logFile('nats');
    await this.#keep('NATS', 'servers', 'SIGTERM', NATS_STOP_MS, 'nats-server', async () => {
      const running = await startNats({
        dataDir: path.join(dataDir, 'nats'),
        port: layout.servers.nats,
        passwords: secrets.nats,
        guard: this.#guard,
        logFile,
      });
      if (this.#ready) this.#makeStreamsAgain();
      return running.process;
    });
  }

  /** Nobody waits for it: when NATS ends meanwhile, its next start makes them. */
  #makeStreamsAgain() {
    const { addresses, secrets, tell } = this.#options;
    const nats = { url: addresses.natsUrl, user: 'provisioner', password: secrets.nats.provisioner ?? '' };
    this.provision({ databaseUrl: addresses.databaseUrl, passwords: {}, services: [], nats }).catch((error) =>
      tell(`The streams of NATS were not made again: ${error.message}`),
    );
  }

  /** Starts the mail catcher, which keeps the last messages in memory and shows them on a page. */
  async startMailCatcher() {
    const { smtp, mail } = this.#options.layout.servers;
    const program = inRoot('node_modules', 'maildev', 'dist', 'bin', 'maildev.js');
    const logFile = await this.#logFile('mail');
    const kept = await this.#keep('mail catcher', 'services', 'SIGTERM', 3000, 'maildev', () =>
      ChildServer.start({
        name: 'mail catcher',
        command: process.execPath,
        args: [program, `--smtp=${smtp}`, `--web=${mail}`, '--ip=127.0.0.1', '--web-ip=127.0.0.1', '--max-emails=500'],
        cwd: ROOT,
        logFile,
        guard: this.#guard,
        kind: 'services',
      }),
    );
    await this.#waitUntil(
      kept,
      async () => (await accepts(smtp)) && (await accepts(mail)),
      () => 'no port open',
    );
  }

  /** Makes databases, roles, tables, streams and consumers, or brings them up to date.
   * @param {import('./provision.mjs').Order} order @returns {Promise<import('./provision.mjs').Provisioned>} */
  async provision(order) {
    const child = run(process.execPath, [inRoot('scripts', 'platform', 'provision.mjs')], {
      cwd: ROOT,
      input: JSON.stringify(order),
    });
    const outcome = await Promise.race([child, this.failed]);
    if (outcome.code !== 0) {
      throw new PlainError(
        `The databases or streams could not be brought up to date:\n${lastLines(outcome.stderr, 15)}`,
      );
    }
    return JSON.parse(outcome.stdout);
  }

  /** Creates the demo sign-ins; those that exist are left alone.
   * @param {import('./provision.mjs').Provisioned['databases']} databases */
  async seed(databases) {
    const outcome = await run(process.execPath, ['--enable-source-maps', inRoot('apps/identity/dist/seed.js')], {
      cwd: ROOT,
      env: this.#environmentOf('identity', databases),
    });
    if (outcome.code !== 0) {
      throw new PlainError(
        `The demo sign-ins could not be created:\n${lastLines(outcome.stderr || outcome.stdout, 15)}`,
      );
    }
  }

  /** Starts every service and resolves when all of them are ready.
   * @param {import('./provision.mjs').Provisioned['databases']} databases */
  async startServices(databases) {
    await Promise.all(
      this.#options.services.map(async (name) => {
        const logFile = await this.#logFile(name);
        const operationsUrl = this.#options.addresses.services[name]?.operationsUrl;
        const kept = await this.#keep(name, 'services', 'SIGTERM', SERVICE_STOP_MS, mainFile(name), () =>
          ChildServer.start({
            name,
            command: process.execPath,
            args: ['--enable-source-maps', mainFile(name)],
            cwd: ROOT,
            env: this.#environmentOf(name, databases),
            logFile,
            guard: this.#guard,
            kind: 'services',
          }),
        );
        let answer = { status: 0, body: 'no answer' };
        await this.#waitUntil(
          kept,
          async () => {
            answer = await get(`${operationsUrl}/readyz`);
            return answer.status === 200;
          },
          () => `${operationsUrl}/readyz: ${answer.status || ''} ${answer.body}`,
        );
      }),
    );
  }

  /** Everything answers: from now on a program that ends is started again. */
  async markReady() {
    this.#ready = true;
    for (const { kept } of this.#programs) kept.restartFromNowOn();
    await this.#writeState();
  }

  /** Stops the services, then the servers. */
  async stop() {
    this.#stopped = true;
    const stopAll = (/** @type {'services' | 'servers'} */ kind) =>
      this.#programs.filter((program) => program.kind === kind);
    await Promise.all(stopAll('services').map(({ kept, signal, graceMs }) => kept.stop(signal, graceMs)));
    for (const { kept, signal, graceMs } of stopAll('servers').toReversed()) await kept.stop(signal, graceMs);
    this.#guard.dismiss();
    await this.#stateWritten;
  }

  /** Stops everything at once; PostgreSQL recovers at the next start. */
  kill() {
    this.#stopped = true;
    for (const { kept } of this.#programs) kept.kill();
  }

  /** @param {string} name @param {'services' | 'servers'} kind @param {NodeJS.Signals} signal @param {number} graceMs
   * @param {string} command part of its command line @param {() => Promise<ChildServer>} start */
  async #keep(name, kind, signal, graceMs, command, start) {
    const kept = new KeptAlive({
      name,
      start,
      onRestart: (crash) => this.#options.tell([crash.message, ...crash.lines.map(readableLogLine)].join('\n    ')),
      onGiveUp: (error) => this.#fail(this.#explain(error)),
      onChange: () => void this.#writeState(),
    });
    this.#programs.push({ kept, kind, signal, graceMs, command });
    await kept.start();
    return kept;
  }

  /** @param {KeptAlive} kept @param {() => Promise<boolean>} condition @param {() => string} describe what was seen last */
  async #waitUntil(kept, condition, describe) {
    const deadline = Date.now() + READY_TIMEOUT_MS;
    while (!(await condition())) {
      const child = kept.current;
      if (child?.outcome !== undefined) {
        throw this.#explain(
          new CrashError(kept.name, `ended during the start: ${child.outcome}`, tellingLines(child.lastLines(40), 10)),
        );
      }
      if (Date.now() > deadline) {
        throw this.#explain(
          new CrashError(kept.name, `is not ready after ${READY_TIMEOUT_MS / 1000} s`, [
            describe(),
            ...tellingLines(child?.lastLines(40) ?? [], 8),
          ]),
        );
      }
      await delay(50);
    }
  }

  /** @param {Error} error */
  #explain(error) {
    if (!(error instanceof CrashError)) return error;
    const lines = error.lines.map((line) => `  ${readableLogLine(line)}`).join('\n');
    return new PlainError(`${error.message}\n${lines}\nLogs: ${path.join(this.#options.dataDir, 'logs')}`);
  }

  /** @param {ServiceName} name @param {import('./provision.mjs').Provisioned['databases']} databases */
  #environmentOf(name, databases) {
    const { layout, secrets, addresses, outer } = this.#options;
    return serviceEnvironment(name, { layout, secrets, addresses, databases, outer });
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
          children: this.#programs.flatMap(({ kept, kind, command }) => {
            const pid = kept.current?.outcome === undefined ? kept.current?.pid : undefined;
            return pid ? [{ name: kept.name, pid, kind, command }] : [];
          }),
        }),
      )
      .catch((error) => this.#fail(error));
    return this.#stateWritten;
  }
}

import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { get } from '../platform/readiness.mjs';
import { mainFile } from '../platform/services.mjs';
import { ChildServer } from '../processes/child-server.mjs';
import { ROOT } from '../root.mjs';

/** Kubernetes gives a pod as long: longer than the service takes to drain. */
const STOP_MS = 30_000;
const READY_MS = 90_000;

/**
 * @typedef {object} ReplicaOptions
 * @property {import('../platform/services.mjs').ServiceName} service
 * @property {string} name
 * @property {number} port
 * @property {number} operationsPort
 * @property {number} [operatorsPort]
 * @property {NodeJS.ProcessEnv} environment
 * @property {string} logFolder
 * @property {import('../processes/guard.mjs').Guard} guard
 */

/** One of the processes of a service. */
export class Replica {
  #options;
  /** @type {ChildServer | undefined} */
  #child;

  /** @param {ReplicaOptions} options */
  constructor(options) {
    this.#options = options;
  }

  get name() {
    return this.#options.name;
  }

  get service() {
    return this.#options.service;
  }

  get port() {
    return this.#options.port;
  }

  get operationsPort() {
    return this.#options.operationsPort;
  }

  /** Resolves when it is ready. */
  async start() {
    const { name, service, port, operationsPort, operatorsPort, environment, logFolder, guard } = this.#options;
    const ports = { PORT: port, OPS_PORT: operationsPort, OPERATORS_PORT: operatorsPort };
    const child = await ChildServer.start({
      name,
      command: process.execPath,
      args: ['--enable-source-maps', mainFile(service)],
      cwd: ROOT,
      env: {
        ...environment,
        ...Object.fromEntries(Object.entries(ports).map(([name, one]) => [name, one?.toString()])),
      },
      logFile: path.join(logFolder, `${name}.log`),
      guard,
      kind: 'services',
    });
    this.#child = child;
    const deadline = Date.now() + READY_MS;
    while ((await get(`http://127.0.0.1:${operationsPort}/readyz`)).status !== 200) {
      if (child.outcome !== undefined || Date.now() > deadline) {
        throw new Error(`${name} does not start (${child.outcome ?? 'not ready'}):\n${child.lastLines(10).join('\n')}`);
      }
      await delay(50);
    }
  }

  /** It finishes what is under way. */
  async stop() {
    await this.#child?.stop('SIGTERM', STOP_MS);
  }

  /** Resolves when it is gone. */
  async kill() {
    this.#child?.kill();
    await this.#child?.ended;
  }
}

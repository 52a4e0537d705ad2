import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PlainError } from '../plain-error.mjs';
import { get } from '../platform/readiness.mjs';
import { planPlatform } from '../platform/run-platform.mjs';
import { Supervisor } from '../platform/supervisor.mjs';
import { Guard } from '../processes/guard.mjs';
import { tellingLines } from '../processes/kept-alive.mjs';
import { builtFile } from '../root.mjs';
import { Container, runToEnd } from './container.mjs';
import { containerEnvironment, migrateEnvironment } from './container-environment.mjs';

/** @typedef {import('../platform/services.mjs').ServiceName} ServiceName */
/** @typedef {import('./container.mjs').MountedImage} MountedImage */

/** As long as npm start waits. */
const READY_TIMEOUT_MS = 60_000;
/** The drain time of the services and what they add to it. */
const STOP_MS = 25_000;
const EMBEDDED = { postgres: true, nats: true, mail: true };

/** A platform whose services are containers, beside throwaway servers on free ports. It leaves nothing behind. */
export class ContainerPlatform {
  #images;
  #dataDir;
  #plan;
  #supervisor;
  #guard;
  /** @type {Map<ServiceName, Container>} */
  #containers = new Map();

  /**
   * @param {Readonly<Record<string, MountedImage>>} images by target
   * @param {string} dataDir
   * @param {Awaited<ReturnType<typeof planPlatform>>} plan
   */
  constructor(images, dataDir, plan) {
    this.#images = images;
    this.#dataDir = dataDir;
    this.#plan = plan;
    this.#guard = new Guard({ throwawayFolder: dataDir });
    const tell = (/** @type {string} */ text) => process.stderr.write(`${text}\n`);
    this.#supervisor = new Supervisor({ ...plan, dataDir, throwaway: true, outer: {}, tell });
  }

  /**
   * Starts PostgreSQL, NATS and the mail catcher.
   * @param {Readonly<Record<string, MountedImage>>} images by target
   * @param {readonly ServiceName[]} services
   * @returns {Promise<ContainerPlatform>}
   */
  static async start(images, services) {
    const dataDir = await mkdtemp(path.join(os.tmpdir(), 'crm-images-'));
    // PostgreSQL's user and that of the images must get through; what is inside is closed to others.
    await chmod(dataDir, 0o711);
    const plan = await planPlatform({ dataDir, freePorts: true, portOffset: 0 }, {}, EMBEDDED, services);
    const platform = new ContainerPlatform(images, dataDir, plan);
    try {
      const servers = platform.#supervisor;
      await Promise.all([servers.startPostgres(), servers.startNats(), servers.startMailCatcher()]);
      return platform;
    } catch (error) {
      await platform.stop();
      throw error;
    }
  }

  get addresses() {
    return this.#plan.addresses;
  }

  /**
   * Runs crm/migrate to its end.
   * @returns {Promise<string[]>} what it printed
   * @throws {PlainError} when it fails
   */
  async migrate() {
    const volume = this.#volumeOf('migrate');
    const environment = await migrateEnvironment(this.#plan, volume);
    return this.#runToEnd('migrate', { environment, volume });
  }

  /** Creates the demo sign-ins with the program of the image of identity. */
  async seed() {
    const { environment, volume } = await this.#settingsOf('identity');
    const command = ['node', '--enable-source-maps', '/app/seed.js'];
    return this.#runToEnd('identity', { environment, volume, command });
  }

  /** Starts every service with its image's own command, and resolves when all are ready. */
  async startServices() {
    await Promise.all(
      this.#plan.services.map(async (service) => {
        const container = await Container.start({
          ...(await this.#settingsOf(service)),
          name: service,
          image: this.#imageOf(service),
          guard: this.#guard,
          logFile: path.join(this.#dataDir, 'logs', `${service}.log`),
        });
        this.#containers.set(service, container);
        await this.#untilAnswers(service, container, '/readyz');
      }),
    );
  }

  /**
   * Stops a service that waits for a NATS that is not there. It is PID 1, which gets no signal that it does not handle.
   * @param {ServiceName} service
   * @throws {PlainError} when it does not end by itself with exit code 0
   */
  async stopDuringStart(service) {
    const { environment, volume } = await this.#settingsOf(service);
    const container = await Container.start({
      environment: { ...environment, NATS_URL: 'nats://127.0.0.1:1' },
      volume,
      name: service,
      image: this.#imageOf(service),
      guard: this.#guard,
      logFile: path.join(this.#dataDir, 'logs', `${service}-without-nats.log`),
    });
    this.#containers.set(service, container);
    // The program runs as soon as it answers here; it becomes ready only later.
    await this.#untilAnswers(service, container, '/livez');
    await this.stopServices();
  }

  /**
   * The health check of every image, in its container.
   * @throws {PlainError} when one fails
   */
  async checkHealth() {
    for (const [service, container] of this.#containers) {
      const check = this.#imageOf(service).settings.healthCheck;
      const outcome = await container.run(check);
      if (check.length === 0 || outcome.code !== 0) {
        throw new PlainError(`The health check of crm/${service} failed: ${check.join(' ')}\n${outcome.stderr}`);
      }
    }
  }

  /** The services that run, with the file system of their image and the way to run another program in their container. */
  containers() {
    return [...this.#containers].map(([service, container]) => ({
      service,
      root: this.#imageOf(service).root,
      run: (/** @type {readonly string[]} */ command, /** @type {string | undefined} */ input) =>
        container.run(command, input),
    }));
  }

  /**
   * Sends SIGTERM to every service.
   * @returns {Promise<number>} milliseconds until the slowest had ended
   * @throws {PlainError} when one does not end by itself with exit code 0
   */
  async stopServices() {
    const begun = performance.now();
    const outcomes = await Promise.all(
      [...this.#containers].map(async ([service, container]) => ({ service, outcome: await container.stop(STOP_MS) })),
    );
    this.#containers.clear();
    const wrong = outcomes.filter(({ outcome }) => outcome !== 'exit code 0');
    if (wrong.length === 0) return performance.now() - begun;
    throw new PlainError(
      `After SIGTERM to PID 1: ${wrong.map(({ service, outcome }) => `crm/${service} ${outcome}`).join(', ')}`,
    );
  }

  /** Stops whatever still runs and deletes the data. */
  async stop() {
    await Promise.all([...this.#containers.values()].map((container) => container.stop(STOP_MS)));
    await this.#supervisor.stop();
    await rm(this.#dataDir, { recursive: true, force: true });
    this.#guard.dismiss();
  }

  /**
   * @param {ServiceName} service
   * @param {Container} container
   * @param {string} question at its operations port
   */
  async #untilAnswers(service, container, question) {
    const url = `${this.addresses.services[service]?.operationsUrl}${question}`;
    const deadline = Date.now() + READY_TIMEOUT_MS;
    for (let answer = await get(url); answer.status !== 200; answer = await get(url)) {
      if (container.outcome !== undefined || Date.now() > deadline) {
        const lines = tellingLines(container.lastLines(40), 15).join('\n');
        throw new PlainError(`crm/${service}, ${question}: ${container.outcome ?? answer.body}\n${lines}`);
      }
      await delay(50);
    }
  }

  /**
   * @param {string} target
   * @param {Pick<import('./container.mjs').ContainerOptions, 'environment' | 'volume' | 'command'>} settings
   */
  #runToEnd(target, settings) {
    return runToEnd({ ...settings, name: target, image: this.#imageOf(target), guard: this.#guard });
  }

  /** @param {ServiceName} service */
  async #settingsOf(service) {
    const volume = this.#volumeOf(service);
    const { layout, secrets, addresses } = this.#plan;
    const input = { layout, secrets, addresses, databases: await this.#databases() };
    return { environment: await containerEnvironment(service, input, volume), volume };
  }

  /** @returns {Promise<import('../platform/provision.mjs').Provisioned['databases']>} where the migration makes them */
  async #databases() {
    /** @type {typeof import('../../libs/contracts/src/databases.js')} */
    const { DATABASES } = await import(builtFile('libs/contracts', 'databases.js'));
    /** @type {typeof import('../../libs/database/src/migrations/provision.js')} */
    const { databaseUrls } = await import(builtFile('libs/database', 'migrations/provision.js'));
    const { addresses, secrets } = this.#plan;
    return Object.fromEntries(
      Object.entries(DATABASES).map(([service, definition]) => {
        const passwords = secrets.databases[service];
        if (!passwords) throw new Error(`No passwords for the database of ${service}`);
        return [service, databaseUrls({ adminUrl: addresses.databaseUrl, definition, passwords })];
      }),
    );
  }

  /** @param {string} target */
  #volumeOf(target) {
    return path.join(this.#dataDir, 'secrets', target);
  }

  /** @param {string} target */
  #imageOf(target) {
    const image = this.#images[target];
    if (!image) throw new Error(`There is no image of ${target}`);
    return image;
  }
}

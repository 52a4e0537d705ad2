import { chmod, chown, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PlainError } from '../plain-error.mjs';
import { get } from '../platform/readiness.mjs';
import { planPlatform } from '../platform/run-platform.mjs';
import { serviceEnvironment } from '../platform/service-environment.mjs';
import { Supervisor } from '../platform/supervisor.mjs';
import { Guard } from '../processes/guard.mjs';
import { tellingLines } from '../processes/telling-lines.mjs';
import { builtFile } from '../root.mjs';
import { Container } from './container.mjs';

/** @typedef {import('../platform/services.mjs').ServiceName} ServiceName */
/** @typedef {Awaited<ReturnType<typeof planPlatform>>} Plan */

/** From the ports of npm start. All are below the range from which systems take those of outgoing connections. */
const PORT_OFFSET = 6000;
/** As long as npm start waits. */
const READY_TIMEOUT_MS = 60_000;
/** The drain time of the services and what they add to it. */
const STOP_MS = 25_000;
/** Where a container finds its secrets: what compose uses too. */
const SECRETS = '/run/secrets';
/** The user and group of the image. */
const USER = 10_001;
/** Variables that a container gets as files, because files are not inherited and are not shown by an engine. */
const SECRET =
  /^(DATABASE_(ADMIN_|NARROW_)?URL|NATS_PASSWORD|KEY_ENCRYPTION_KEY|SMTP_URL|\w+_(OWNER|RUNTIME|NARROW)_PASSWORD)$/;
/** What concerns the development profile of this machine; the image has its own. */
const OF_THIS_MACHINE = ['HOST', 'NODE_COMPILE_CACHE', 'MALLOC_ARENA_MAX', 'EMBED_PAGE_DIR', 'ACCOUNT_PAGE_DIR'];

/** A platform whose services are containers, beside throwaway servers. It leaves nothing behind. */
export class ContainerPlatform {
  #image;
  #dataDir;
  #plan;
  #supervisor;
  #guard;
  /** Those that run now. @type {Map<ServiceName, Container>} */
  containers = new Map();

  /**
   * @param {import('./container.mjs').MountedImage} image
   * @param {string} dataDir
   * @param {Plan} plan
   */
  constructor(image, dataDir, plan) {
    this.#image = image;
    this.#dataDir = dataDir;
    this.#plan = plan;
    this.#guard = new Guard({ throwawayFolder: dataDir });
    const tell = (/** @type {string} */ text) => process.stderr.write(`${text}\n`);
    this.#supervisor = new Supervisor({ ...plan, dataDir, throwaway: true, outer: {}, tell });
  }

  /**
   * Starts PostgreSQL, NATS and the mail catcher.
   * @param {import('./container.mjs').MountedImage} image
   * @param {readonly ServiceName[]} services
   * @returns {Promise<ContainerPlatform>}
   */
  static async start(image, services) {
    const dataDir = await mkdtemp(path.join(os.tmpdir(), 'crm-images-'));
    // PostgreSQL's user and that of the image must get through; what is inside is closed to others.
    await chmod(dataDir, 0o711);
    const embedded = { postgres: true, nats: true, mail: true };
    const plan = await planPlatform({ dataDir, freePorts: false, portOffset: PORT_OFFSET }, {}, embedded, services);
    const platform = new ContainerPlatform(image, dataDir, plan);
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
   * Runs the migrations to their end.
   * @returns {Promise<string[]>} what they printed
   * @throws {PlainError} when they fail
   */
  async migrate() {
    const { secrets, addresses } = this.#plan;
    const passwords = Object.entries(secrets.databases).flatMap(([service, roles]) =>
      Object.entries(roles).map(([role, password]) => [variable(`${service}-${role}-password`), password]),
    );
    return this.#runToEnd('migrate/migrate.js', 'migrate', {
      ...Object.fromEntries(passwords),
      DATABASE_ADMIN_URL: addresses.databaseUrl,
      NATS_URL: addresses.natsUrl,
      NATS_PASSWORD: secrets.nats.provisioner,
      NATS_REPLICAS: '1',
    });
  }

  /** Creates the demo sign-ins. */
  async seed() {
    return this.#runToEnd('identity/seed.js', 'identity', await this.#environmentOf('identity'));
  }

  /** Starts every service, and resolves when all are ready. */
  async startServices() {
    await Promise.all(
      this.#plan.services.map(async (service) => {
        await this.#start(service, await this.#environmentOf(service));
        await this.#untilAnswers(service, '/readyz');
      }),
    );
  }

  /**
   * Stops a service that waits for a NATS that is not there. It is PID 1, which gets no signal that it does not handle.
   * @param {ServiceName} service
   * @throws {PlainError} when it does not end by itself with exit code 0
   */
  async stopDuringStart(service) {
    await this.#start(service, { ...(await this.#environmentOf(service)), NATS_URL: 'nats://127.0.0.1:1' });
    // The program runs as soon as it answers here; it becomes ready only later.
    await this.#untilAnswers(service, '/livez');
    await this.stopServices();
  }

  /**
   * Sends SIGTERM to every service.
   * @throws {PlainError} when one does not end by itself with exit code 0
   */
  async stopServices() {
    const stopping = [...this.containers].map(async ([service, one]) => `${service}: ${await one.stop(STOP_MS)}`);
    const wrong = (await Promise.all(stopping)).filter((outcome) => !outcome.endsWith(': exit code 0'));
    this.containers.clear();
    if (wrong.length > 0) throw new PlainError(`After SIGTERM to PID 1: ${wrong.join(', ')}`);
  }

  /** Stops whatever still runs and deletes the data. */
  async stop() {
    await Promise.all([...this.containers.values()].map((container) => container.stop(STOP_MS)));
    await this.#supervisor.stop();
    await rm(this.#dataDir, { recursive: true, force: true });
    this.#guard.dismiss();
  }

  /**
   * @param {ServiceName} service
   * @param {NodeJS.ProcessEnv} environment
   */
  async #start(service, environment) {
    const options = await this.#containerOptions(service, environment);
    const logFile = path.join(this.#dataDir, 'logs', `${service}.log`);
    this.containers.set(service, await Container.start({ ...options, command: [`${service}/main.js`], logFile }));
  }

  /**
   * @param {ServiceName} service
   * @param {string} question at its operations port
   */
  async #untilAnswers(service, question) {
    const container = this.containers.get(service);
    const url = `${this.addresses.services[service]?.operationsUrl}${question}`;
    const deadline = Date.now() + READY_TIMEOUT_MS;
    for (let answer = await get(url); answer.status !== 200; answer = await get(url)) {
      if (container?.outcome !== undefined || Date.now() > deadline) {
        const lines = tellingLines(container?.lastLines(40) ?? [], 15).join('\n');
        throw new PlainError(`${service}, ${question}: ${container?.outcome ?? answer.body}\n${lines}`);
      }
      await delay(50);
    }
  }

  /**
   * @param {string} program
   * @param {string} name
   * @param {NodeJS.ProcessEnv} environment
   * @returns {Promise<string[]>} what it printed
   * @throws {PlainError} when it fails
   */
  async #runToEnd(program, name, environment) {
    const container = await Container.start({
      ...(await this.#containerOptions(name, environment)),
      command: [program],
    });
    const outcome = await container.ended;
    if (outcome === 'exit code 0') return container.lastLines(Number.POSITIVE_INFINITY);
    throw new PlainError(`${program} ended with ${outcome}:\n${container.lastLines(40).join('\n')}`);
  }

  /**
   * The environment of a service in the development profile.
   * @param {ServiceName} service
   */
  async #environmentOf(service) {
    const { layout, secrets, addresses } = this.#plan;
    const databases = await databasesOf(this.#plan);
    const environment = serviceEnvironment(service, { layout, secrets, addresses, databases, outer: {} });
    for (const name of OF_THIS_MACHINE) delete environment[name];
    return environment;
  }

  /**
   * Writes the secrets of an environment into files that the user of the image alone can read.
   * @param {string} name
   * @param {NodeJS.ProcessEnv} environment
   */
  async #containerOptions(name, environment) {
    const volume = path.join(this.#dataDir, 'secrets', name);
    await mkdir(volume, { recursive: true });
    await chown(volume, USER, USER);
    /** @type {Record<string, string>} */
    const own = {};
    for (const [key, value] of Object.entries(environment)) {
      if (value === undefined) continue;
      const file = path.join(volume, key.toLowerCase());
      const isSecret = SECRET.test(key);
      if (isSecret) await writeFile(file, `${value}\n`, { mode: 0o400 });
      else if (key === 'EGRESS_CA_FILE') await copyFile(value, file);
      if (isSecret) await chown(file, USER, USER);
      own[isSecret ? `${key}_FILE` : key] =
        isSecret || key === 'EGRESS_CA_FILE' ? `${SECRETS}/${key.toLowerCase()}` : value;
    }
    return { name, image: this.#image, environment: own, volume, guard: this.#guard };
  }
}

/** @param {string} name */
const variable = (name) => name.toUpperCase().replaceAll('-', '_');

/**
 * @param {Plan} plan
 * @returns {Promise<import('../platform/provision.mjs').Provisioned['databases']>} where the migration makes them
 */
async function databasesOf({ addresses, secrets }) {
  /** @type {typeof import('../../libs/contracts/src/databases.js')} */
  const { DATABASES } = await import(builtFile('libs/contracts', 'databases.js'));
  /** @type {typeof import('../../libs/database/src/migrations/provision.js')} */
  const { databaseUrls } = await import(builtFile('libs/database', 'migrations/provision.js'));
  return Object.fromEntries(
    Object.entries(DATABASES).map(([service, definition]) => {
      const passwords = secrets.databases[service];
      if (!passwords) throw new Error(`No passwords for the database of ${service}`);
      return [service, databaseUrls({ adminUrl: addresses.databaseUrl, definition, passwords })];
    }),
  );
}

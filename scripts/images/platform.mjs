import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { PlainError } from '../plain-error.mjs';
import { planPlatform } from '../platform/run-platform.mjs';
import { serviceEnvironment } from '../platform/service-environment.mjs';
import { Supervisor } from '../platform/supervisor.mjs';
import { Guard } from '../processes/guard.mjs';
import { get } from '../processes/readiness.mjs';
import { startContainer } from './container.mjs';

/** @typedef {import('../platform/services.mjs').ServiceName} ServiceName */
/** @typedef {Awaited<ReturnType<typeof startPlatform>>} ContainerPlatform */

/** From the ports of npm start. All are below the range from which systems take those of outgoing connections. */
const PORT_OFFSET = 6000;
/** npm start waits as long. */
const READY_TIMEOUT_MS = 60_000;
/** The drain time of the services and what they add to it. */
const STOP_MS = 25_000;
/** The user and group of the image. */
const USER = 10_001;
/** Variables that a container gets as files, because files are not inherited and are not shown by an engine. */
const SECRET =
  /^(DATABASE_(ADMIN_|NARROW_)?URL|NATS_PASSWORD|KEY_ENCRYPTION_KEY|SMTP_URL|\w+_(OWNER|RUNTIME|NARROW)_PASSWORD)$/;
/** What concerns the development profile of this machine; the image has its own. */
const OF_THIS_MACHINE = ['HOST', 'NODE_COMPILE_CACHE', 'MALLOC_ARENA_MAX', 'EMBED_PAGE_DIR', 'CONSOLE_DIR'];

/** A platform whose services are containers, beside throwaway servers, which it starts. It leaves nothing behind.
 * @param {import('./container.mjs').MountedImage} image @param {readonly ServiceName[]} services */
export async function startPlatform(image, services) {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'crm-images-'));
  // PostgreSQL's user and that of the image must get through; what is inside is closed to others.
  await chmod(dataDir, 0o711);
  const place = { dataDir, freePorts: false, portOffset: PORT_OFFSET };
  const plan = await planPlatform(place, {}, { postgres: true, nats: true, mail: true }, services);
  const { addresses, secrets } = plan;
  const guard = new Guard({ throwawayFolder: dataDir });
  const tell = (/** @type {string} */ text) => process.stderr.write(`${text}\n`);
  const servers = new Supervisor({ ...plan, dataDir, throwaway: true, outer: {}, tell });
  /** Those that run now. @type {Map<ServiceName, import('./container.mjs').Container>} */
  const containers = new Map();
  /** @type {import('../platform/provision.mjs').Provisioned['databases'] | undefined} */
  let databases;

  /** Stops whatever still runs and deletes the data. */
  async function stop() {
    await Promise.all([...containers.values()].map((container) => container.stop(STOP_MS)));
    await servers.stop();
    await rm(dataDir, { recursive: true, force: true });
    guard.dismiss();
  }

  /** @param {string} program @param {string} name @param {NodeJS.ProcessEnv} environment @param {string} [logFile] */
  async function start(program, name, environment, logFile) {
    const volume = path.join(dataDir, 'secrets', name);
    await mkdir(volume, { recursive: true });
    const inside = await withFiles(environment, volume);
    return startContainer({ name, image, environment: inside, volume, command: [program], logFile, guard });
  }

  /** @param {Parameters<typeof start>} options @returns {Promise<string[]>} what the program printed */
  async function runToEnd(...options) {
    const { outer } = await start(...options);
    const outcome = await outer.ended;
    if (outcome === 'exit code 0') return outer.lastLines(Number.POSITIVE_INFINITY);
    throw new PlainError(`${options[0]} ended with ${outcome}:\n${outer.lastLines(40).join('\n')}`);
  }

  /** The environment of a service in the development profile. @param {ServiceName} service */
  async function environmentOf(service) {
    // What npm start would make is there: the container of the migration has made it.
    databases ??= (await servers.provision({ passwords: secrets.databases, services })).databases;
    const environment = serviceEnvironment(service, { ...plan, databases, outer: {} });
    for (const name of OF_THIS_MACHINE) delete environment[name];
    return environment;
  }

  /** @param {ServiceName} service @param {NodeJS.ProcessEnv} environment
   * @param {string} question at its operations port, which must be answered with 200 */
  async function startService(service, environment, question) {
    const logFile = path.join(dataDir, 'logs', `${service}.log`);
    const container = await start(`${service}/main.js`, service, environment, logFile);
    containers.set(service, container);
    let last = { status: 0, body: 'no answer' };
    const isReady = async () => {
      last = await get(`${addresses.services[service]?.operationsUrl}${question}`);
      return last.status === 200;
    };
    const seen = () => `${question}: ${last.status} ${last.body}`;
    await container.outer.untilReady(isReady, READY_TIMEOUT_MS, seen).catch(({ message, lines }) => {
      throw new PlainError(`${message}\n${lines.join('\n')}`);
    });
  }

  /** Sends SIGTERM to every service. @throws {PlainError} when one does not end by itself with exit code 0 */
  async function stopServices() {
    const stopping = [...containers].map(async ([service, one]) => `${service}: ${await one.stop(STOP_MS)}`);
    const wrong = (await Promise.all(stopping)).filter((outcome) => !outcome.endsWith(': exit code 0'));
    containers.clear();
    if (wrong.length > 0) throw new PlainError(`After SIGTERM to PID 1: ${wrong.join(', ')}`);
  }

  try {
    await Promise.all([servers.startPostgres(), servers.startNats(), servers.startMailCatcher()]);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    addresses,
    containers,
    stop,
    stopServices,

    /** Runs the migrations to their end. @returns {Promise<string[]>} what they printed */
    migrate() {
      const passwords = Object.entries(secrets.databases).flatMap(([service, roles]) =>
        Object.entries(roles).map(([role, value]) => [`${service}_${role}_password`.toUpperCase(), value]),
      );
      return runToEnd('migrate/migrate.js', 'migrate', {
        ...Object.fromEntries(passwords.map(([name = '', value]) => [name.replaceAll('-', '_'), value])),
        DATABASE_ADMIN_URL: addresses.databaseUrl,
        NATS_URL: addresses.natsUrl,
        NATS_PASSWORD: secrets.nats.provisioner,
        NATS_REPLICAS: '1',
      });
    },

    /** Creates the demo sign-ins. */
    // Reached from this machine alone.
    seed: async () =>
      runToEnd('identity/seed.js', 'identity', { ...(await environmentOf('identity')), HOST: '127.0.0.1' }),

    /** Starts every service, and resolves when all are ready. */
    startServices: () =>
      Promise.all(services.map(async (service) => startService(service, await environmentOf(service), '/readyz'))),

    /** Stops one that waits for a NATS that is not there: PID 1 gets no signal that it does not handle. @param {ServiceName} service */
    async stopDuringStart(service) {
      // The program runs as soon as it answers here; it becomes ready only later.
      await startService(service, { ...(await environmentOf(service)), NATS_URL: 'nats://127.0.0.1:1' }, '/livez');
      await stopServices();
    },
  };
}

/** Writes the secrets of an environment into files that the user of the image alone can read.
 * @param {NodeJS.ProcessEnv} environment @param {string} volume folder that the container finds at /run/secrets, as
 * with compose @returns {Promise<Record<string, string>>} with NAME_FILE in place of each */
async function withFiles(environment, volume) {
  await chown(volume, USER, USER);
  /** @type {Record<string, string>} */
  const result = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined) continue;
    const isSecret = SECRET.test(name);
    if (!isSecret && name !== 'EGRESS_CA_FILE') {
      result[name] = value;
      continue;
    }
    const file = path.join(volume, name.toLowerCase());
    await writeFile(file, isSecret ? `${value}\n` : await readFile(value), { mode: 0o400 });
    await chown(file, USER, USER);
    result[isSecret ? `${name}_FILE` : name] = `/run/secrets/${name.toLowerCase()}`;
  }
  return result;
}

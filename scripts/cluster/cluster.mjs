import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PlainError } from '../plain-error.mjs';
import { demoReceiverCertificate } from '../platform/demo-receiver.mjs';
import { loadSecrets } from '../platform/secrets.mjs';
import { serviceEnvironment } from '../platform/service-environment.mjs';
import { serviceList } from '../platform/services.mjs';
import { Guard } from '../processes/guard.mjs';
import { lastLines, run } from '../processes/run.mjs';
import { builtFile, inRoot, ROOT } from '../root.mjs';
import { DATABASE, startBalancer } from './balancer.mjs';
import { NatsCluster, NODES } from './nats-cluster.mjs';
import { PostgresPair } from './postgres-pair.mjs';
import { Replica } from './replica.mjs';

/** Between the last new request and SIGTERM, as a `preStop` waits until all balancers know that the pod leaves. */
const PRE_STOP_MS = 500;
const UP_MS = 30_000;
/** Replicas that start at the same time: more would only wait for the processor. */
const STARTING = 4;

/** @typedef {import('../platform/services.mjs').ServiceName} ServiceName */

/**
 * @typedef {object} ClusterOptions
 * @property {import('./layout.mjs').ClusterLayout} layout
 * @property {import('../setup/progress.mjs').Progress} progress of {@link STEPS} steps
 */

/** How many steps a start has. */
export const STEPS = 4;

/**
 * The platform as it runs in production, on this machine: two replicas of each service behind a balancer, three NATS servers
 * with a copy of each stream, and PostgreSQL with a standby that has every commit. Its data goes when it stops.
 */
export class Cluster {
  /** @type {Replica[]} */
  replicas = [];
  #folder;
  #guard;
  /** @type {(() => Promise<void>)[]} */
  #stops = [];

  /**
   * @param {string} folder
   * @param {import('../platform/addresses.mjs').Addresses} addresses
   * @param {{ nats: NatsCluster, postgres: PostgresPair, balancer: import('./haproxy.mjs').Haproxy, guard: Guard }} parts
   */
  constructor(folder, addresses, { nats, postgres, balancer, guard }) {
    this.#folder = folder;
    this.#guard = guard;
    this.addresses = addresses;
    this.nats = nats;
    this.postgres = postgres;
    this.balancer = balancer;
  }

  /** @param {ClusterOptions} options */
  static async start({ layout, progress }) {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'crm-cluster-'));
    // PostgreSQL's user must get through; what is inside is closed to others.
    await chmod(folder, 0o711);
    const guard = new Guard({ throwawayFolder: folder });
    const logFolder = path.join(folder, 'logs');
    await mkdir(logFolder);
    /** @type {(() => Promise<void>)[]} */
    const stops = [];
    try {
      const { SERVICES } = await serviceList();
      const secrets = await secretsIn(folder, SERVICES);
      const common = { folder, guard, logFolder };

      const nats = new NatsCluster({ ...common, ports: layout.nats, passwords: secrets.nats });
      const postgres = await progress.step('Starting PostgreSQL with a standby, and three NATS servers', async () => {
        const pair = PostgresPair.start({ ...common, ports: layout.databases, password: secrets.postgres });
        stops.push(
          async () => (await pair).stop(),
          () => nats.stop(),
        );
        await Promise.all([pair, nats.start()]);
        return pair;
      });

      const balancer = await startBalancer(
        { folder: path.join(folder, 'haproxy'), guard, logFile: path.join(logFolder, 'haproxy.log') },
        {
          services: SERVICES.flatMap((name) => {
            const { port = 0, operatorsPort } = layout.balancer.services[name] ?? {};
            const replicas = layout.replicas.filter(({ service }) => service === name);
            if (operatorsPort === undefined) return [{ name, port, replicas }];
            const forOperators = replicas.map((one) => ({ ...one, port: one.operatorsPort ?? 0 }));
            return [
              { name, port, replicas },
              { name: `${name}-for-operators`, port: operatorsPort, replicas: forOperators },
            ];
          }),
          database: { port: layout.balancer.servers.postgres, ...layout.databases },
        },
      );
      stops.push(() => balancer.stop());

      const addresses = await addressesOf(folder, {
        layout: layout.balancer,
        natsUrl: nats.url,
        password: secrets.postgres,
      });
      const cluster = new Cluster(folder, addresses, { nats, postgres, balancer, guard });
      cluster.#stops = stops;
      const databases = await progress.step('Making databases and streams', () =>
        provision(addresses, secrets, SERVICES),
      );
      const environmentOf = (/** @type {ServiceName} */ name) =>
        serviceEnvironment(name, { layout: layout.balancer, secrets, addresses, databases, outer: process.env });
      cluster.replicas = layout.replicas.map(
        (place) => new Replica({ ...place, environment: environmentOf(place.service), logFolder, guard }),
      );
      stops.push(async () => void (await Promise.all(cluster.replicas.map((replica) => replica.stop()))));
      await progress.step(`Starting ${cluster.replicas.length} processes of ${SERVICES.length} services`, async () => {
        const waiting = [...cluster.replicas];
        const startOneByOne = async () => {
          for (let replica = waiting.shift(); replica; replica = waiting.shift()) await replica.start();
        };
        await Promise.all(Array.from({ length: STARTING }, startOneByOne));
        for (const { service, name } of cluster.replicas) await balancer.untilUp(service, name, UP_MS);
      });
      await progress.step('Making the demo sign-ins', () => seed(environmentOf('identity')));
      return cluster;
    } catch (error) {
      await stopAll(stops);
      guard.dismiss();
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /**
   * Replaces a process as a rolling update does.
   * @param {Replica} replica
   */
  async restart(replica) {
    const { service, name } = replica;
    await this.balancer.setState(service, name, 'drain');
    await delay(PRE_STOP_MS);
    await replica.stop();
    await replica.start();
    await this.balancer.setState(service, name, 'ready');
    await this.balancer.untilUp(service, name, UP_MS);
  }

  /** Sends the connections to the standby, once it has taken over. */
  async switchDatabase() {
    await this.balancer.setState(DATABASE, 'primary', 'maint');
    await this.balancer.cutSessions(DATABASE, 'primary');
    await this.balancer.setState(DATABASE, 'standby', 'ready');
  }

  /** Stops everything and deletes the data. */
  async stop() {
    await stopAll(this.#stops);
    this.#guard.dismiss();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** @param {(() => Promise<void>)[]} stops in the order of starting */
async function stopAll(stops) {
  for (const stop of stops.toReversed()) await stop();
}

/**
 * @param {string} folder
 * @param {readonly ServiceName[]} services
 */
async function secretsIn(folder, services) {
  /** @type {typeof import('../../libs/contracts/src/databases.js')} */
  const { DATABASES } = await import(builtFile('libs/contracts', 'databases.js'));
  return loadSecrets(folder, { stateful: Object.keys(DATABASES), natsUsers: [...services, 'provisioner'] });
}

/**
 * @param {string} folder
 * @param {{ layout: import('../platform/layout.mjs').Layout, natsUrl: string, password: string }} options
 * @returns {Promise<import('../platform/addresses.mjs').Addresses>}
 */
async function addressesOf(folder, { layout, natsUrl, password }) {
  const at = (/** @type {number | undefined} */ port) => `http://127.0.0.1:${port}`;
  const { postgres, smtp, demoReceiver } = layout.servers;
  return {
    baseUrl: at(layout.services.gateway?.port),
    embedApiUrl: at(layout.services['embed-gateway']?.port),
    adminUrl: at(layout.services['marketplace-admin']?.port),
    databaseUrl: `postgres://postgres:${password}@127.0.0.1:${postgres}/postgres`,
    natsUrl,
    smtpUrl: `smtp://127.0.0.1:${smtp}`,
    mailUrl: null,
    services: Object.fromEntries(
      Object.entries(layout.services).map(([name, { port, operationsPort }]) => [
        name,
        { url: at(port), operationsUrl: at(operationsPort) },
      ]),
    ),
    demoReceiver: {
      url: `https://127.0.0.1:${demoReceiver}`,
      port: demoReceiver,
      ...(await demoReceiverCertificate(folder)),
    },
    dataDir: folder,
  };
}

/**
 * @param {import('../platform/addresses.mjs').Addresses} addresses
 * @param {import('../platform/secrets.mjs').Secrets} secrets
 * @param {readonly ServiceName[]} services
 * @returns {Promise<import('../platform/provision.mjs').Provisioned['databases']>}
 */
async function provision(addresses, secrets, services) {
  /** @type {import('../platform/provision.mjs').Order} */
  const order = {
    databaseUrl: addresses.databaseUrl,
    passwords: secrets.databases,
    services,
    nats: { url: addresses.natsUrl, user: 'provisioner', password: secrets.nats.provisioner ?? '' },
    replicas: NODES.length,
  };
  const outcome = await run(process.execPath, [inRoot('scripts', 'platform', 'provision.mjs')], {
    cwd: ROOT,
    input: JSON.stringify(order),
  });
  if (outcome.code !== 0) {
    throw new PlainError(`The databases or streams could not be made:\n${lastLines(outcome.stderr, 15)}`);
  }
  return JSON.parse(outcome.stdout).databases;
}

/** @param {NodeJS.ProcessEnv} environment of identity */
async function seed(environment) {
  const program = inRoot('apps/identity/dist/seed.js');
  const outcome = await run(process.execPath, ['--enable-source-maps', program], { cwd: ROOT, env: environment });
  if (outcome.code !== 0) {
    throw new PlainError(`The demo sign-ins could not be made:\n${lastLines(outcome.stderr || outcome.stdout, 15)}`);
  }
}

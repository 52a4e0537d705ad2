import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { requireFreePorts } from '../platform/port-check.mjs';
import { planPlatform } from '../platform/run-platform.mjs';
import { serviceEnvironment } from '../platform/service-environment.mjs';
import { mainFile, serviceList } from '../platform/services.mjs';
import { Supervisor } from '../platform/supervisor.mjs';
import { ChildServer } from '../processes/child-server.mjs';
import { Guard } from '../processes/guard.mjs';
import { get } from '../processes/readiness.mjs';
import { ROOT } from '../root.mjs';
import { startCitus } from '../servers/citus.mjs';
import { nodeProgram } from '../setup/node.mjs';
import { startHaproxy } from './haproxy.mjs';
import { clusterLayout, clusterPorts, NODES } from './layout.mjs';
import { natsCluster } from './nats-cluster.mjs';
import { startPostgresPair } from './postgres-pair.mjs';

/** Between the last new request and SIGTERM, as a `preStop` waits until all balancers know that the pod leaves. */
const PRE_STOP_MS = 500;
/** Replicas that start at the same time. */
const STARTING = 4;
/** Kubernetes gives a pod as long: longer than the service takes to drain. */
const STOP_MS = 30_000;
const READY_MS = 90_000;

/** How many steps a start has. */
export const STEPS = 4;
/** @typedef {{ folder: string, logFolder: string, guard: Guard }} Folders where a program keeps its files, and what ends it with us */
/** @typedef {{ layout: import('../platform/layout.mjs').Layout, portOffset: number, citus: boolean, progress: import('../setup/progress.mjs').Progress }} ClusterOptions citus: PostgreSQL is a coordinator with two workers instead of a primary with a standby */
/** @typedef {Awaited<ReturnType<typeof startCluster>>} Cluster */
/** @typedef {import('./layout.mjs').ClusterLayout['replicas'][number]} ReplicaLayout */

/** Starts the platform as it runs in production, with two replicas of each service. Its data goes when it stops.
 * @param {ClusterOptions} options */
export async function startCluster(options) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'crm-cluster-'));
  // PostgreSQL's user must get through; what is inside is closed to others.
  await chmod(folder, 0o711);
  const folders = { folder, logFolder: path.join(folder, 'logs'), guard: new Guard({ throwawayFolder: folder }) };
  await mkdir(folders.logFolder);
  /** In the order of starting. @type {(() => Promise<unknown>)[]} */
  const stops = [];
  const stop = async () => {
    for (const one of stops.toReversed()) await one();
    folders.guard.dismiss();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    return { ...(await startParts(options, folders, stops)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** @param {ClusterOptions} options @param {Folders} folders
 * @param {(() => Promise<unknown>)[]} stops gets how to stop what has been started */
async function startParts({ layout, portOffset, citus: onCitus, progress }, folders, stops) {
  const { SERVICES } = await serviceList();
  const behind = clusterLayout(layout);
  const { replicas: places, databases: pair, nats: ports } = behind;
  await requireFreePorts(clusterPorts(behind));
  const url = ports.clients.map((port) => `nats://127.0.0.1:${port}`).join(',');
  const data = { dataDir: folders.folder, freePorts: false, portOffset };
  const citus = onCitus
    ? await progress.step('Starting a Citus cluster', () => startCitus(folders.folder, { durable: true }))
    : undefined;
  if (citus) stops.push(citus.stop);
  const given = { NATS_URL: url, ...(citus && { DATABASE_URL: citus.url }) };
  const plan = await planPlatform(data, given, { postgres: !citus, nats: false, mail: false }, SERVICES);
  const { secrets, addresses } = plan;

  const nats = natsCluster(folders, { ports, url, passwords: secrets.nats });
  const postgres = await progress.step(
    `Starting ${citus ? '' : 'PostgreSQL with a standby, and '}three NATS servers`,
    async () => {
      const starting = citus ? undefined : startPostgresPair(folders, { ports: pair, password: secrets.postgres });
      stops.push(async () => (await starting)?.stop(), nats.stop);
      await Promise.all([starting, nats.start()]);
      return starting;
    },
  );
  const services = Object.entries(layout.services).flatMap(([name, { port, operatorsPort }]) => {
    const replicas = places.filter(({ service }) => service === name);
    const forOperators = replicas.map((one) => ({ ...one, port: one.operatorsPort ?? 0 }));
    const operators = { name: `${name}-for-operators`, port: operatorsPort ?? 0, replicas: forOperators };
    return [{ name, port, replicas }, ...(operatorsPort === undefined ? [] : [operators])];
  });
  const database = citus ? undefined : { port: layout.servers.postgres, ...pair };
  const balancer = await startHaproxy(folders, { services, database });
  stops.push(balancer.stop);

  const tell = (/** @type {string} */ text) => process.stderr.write(`${text}\n`);
  const supervisor = new Supervisor({ ...plan, ...data, throwaway: false, outer: process.env, tell });
  stops.push(() => supervisor.stop());
  const { databases } = await progress.step('Making databases and streams', () =>
    supervisor.provision({ passwords: secrets.databases, services: SERVICES, replicas: NODES.length }),
  );
  const replicas = places.map((place) =>
    replicaOf(place, folders, serviceEnvironment(place.service, { ...plan, databases, outer: process.env })),
  );
  stops.push(() => Promise.all(replicas.map((replica) => replica.stop())));
  await progress.step(`Starting ${replicas.length} processes of ${SERVICES.length} services`, async () => {
    // More at the same time would only wait for the processor.
    for (let index = 0; index < replicas.length; index += STARTING) {
      await Promise.all(replicas.slice(index, index + STARTING).map((replica) => replica.start()));
    }
    for (const { service, name } of replicas) await balancer.untilUp(service, name);
  });
  await progress.step('Making the demo sign-ins', () => supervisor.seed(databases));

  /** Replaces a process as a rolling update does. @param {typeof replicas[number]} replica */
  const restart = async ({ service, name, ...replica }) => {
    await balancer.setState(service, name, 'drain');
    await delay(PRE_STOP_MS);
    await replica.stop();
    await replica.start();
    await balancer.setState(service, name, 'ready');
    await balancer.untilUp(service, name);
  };
  return { addresses, nats, postgres, citus, balancer, replicas, restart };
}

/** One of the processes of a service. @param {ReplicaLayout} place @param {Folders} folders @param {NodeJS.ProcessEnv} environment */
function replicaOf({ service, name, port, operationsPort, operatorsPort }, { logFolder, guard }, environment) {
  /** @type {ChildServer | undefined} */
  let child;
  return {
    service,
    name,

    /** Resolves when it is ready. */
    async start() {
      const started = await ChildServer.start({
        name,
        command: nodeProgram(),
        args: ['--enable-source-maps', mainFile(service)],
        cwd: ROOT,
        env: {
          ...environment,
          PORT: String(port),
          OPS_PORT: String(operationsPort),
          OPERATORS_PORT: operatorsPort?.toString(),
        },
        logFile: path.join(logFolder, `${name}.log`),
        guard,
      });
      child = started;
      const url = `http://127.0.0.1:${operationsPort}/readyz`;
      await started.untilReady(async () => (await get(url)).status === 200, READY_MS);
    },

    /** It finishes what is under way. */
    stop: async () => child?.stop('SIGTERM', STOP_MS),

    /** Resolves when it is gone. */
    async kill() {
      child?.kill();
      await child?.ended;
    },
  };
}

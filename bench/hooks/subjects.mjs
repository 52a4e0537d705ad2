// The processes of the measurement: one Postgres for both, the bare server, the service that accepts calls, the gateway in
// front of it, and a second process of the service that executes the runs.
import path from 'node:path';
import { accepts } from '../../scripts/platform/readiness.mjs';
import { inRoot } from '../../scripts/root.mjs';
import { freePorts } from '../../scripts/servers/free-port.mjs';
import { POSTGRES_STOP_MS, startPostgres } from '../../scripts/servers/postgres.mjs';
import { PASSWORD, Processes, signToken } from '../processes.mjs';
import { prepareDatabase } from './database.mjs';
import { answerCalls } from './stand-ins.mjs';

/** Of no importance here, and more than a measurement reaches. */
const NO_LIMIT = '1000000000';

export async function startSubjects() {
  const processes = await Processes.open();
  try {
    const ports = await freePorts(11);
    const [
      databasePort,
      natsPort,
      barePort,
      identityPort,
      identityOps,
      servicePort,
      serviceOps,
      gatewayPort,
      gatewayOps,
    ] = /** @type {[number, number, number, number, number, number, number, number, number]} */ (ports.slice(0, 9));
    const [workerPort, workerOps] = /** @type {[number, number]} */ (ports.slice(9));
    const { url, process: postgres } = await startPostgres({
      dataDir: path.join(processes.folder, 'postgres'),
      port: databasePort,
      password: PASSWORD,
      throwaway: true,
      guard: processes.guard,
    });
    processes.stops.push(() => postgres.stop('SIGINT', POSTGRES_STOP_MS));
    const natsUrl = await processes.startBroker(natsPort);
    const { sign, publicKey } = await signToken('');
    const database = await prepareDatabase(url);
    processes.stops.push(database.close);
    const bare = await processes.start(
      'bare',
      path.join(import.meta.dirname, 'servers', 'bare.mjs'),
      { PORT: String(barePort), DATABASE_URL: database.bareUrl },
      () => accepts(barePort),
    );
    await processes.startIdentity({ port: identityPort, operationsPort: identityOps, natsUrl }, publicKey);
    processes.stops.push(await answerCalls(natsUrl));
    const environment = {
      DATABASE_URL: database.runtimeUrl,
      DATABASE_NARROW_URL: database.narrowUrl,
      KEY_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
      HOOK_CALLS_PER_TEN_SECONDS: NO_LIMIT,
      RUNS_PER_MINUTE: NO_LIMIT,
      HOOK_BASE_URL: 'http://127.0.0.1',
    };
    const file = inRoot('apps', 'automation-hooks', 'dist', 'main.js');
    const start = (
      /** @type {number} */ port,
      /** @type {number} */ operationsPort,
      /** @type {string} */ concurrency,
    ) =>
      processes.startService(
        'automation-hooks',
        file,
        { port, operationsPort, natsUrl },
        {
          ...environment,
          RUN_CONCURRENCY: concurrency,
        },
      );
    const service = await start(servicePort, serviceOps, '0');
    const gateway = await processes.startGateway(
      { port: gatewayPort, operationsPort: gatewayOps, natsUrl },
      {
        AUTOMATIONS_URL: `http://127.0.0.1:${servicePort}`,
        IDENTITY_URL: `http://127.0.0.1:${identityPort}`,
        RATE_LIMIT_HOOK: NO_LIMIT,
        RATE_LIMIT_HOOK_ADDRESS: NO_LIMIT,
      },
    );
    const postgresProcess = { name: 'Postgres', pid: /** @type {number} */ (postgres.pid), withChildren: true };
    return {
      bare: { name: 'bare Fastify + pg', port: barePort, processes: [bare, postgresProcess] },
      direct: { name: 'service, direct', port: servicePort, processes: [service, postgresProcess] },
      gateway: {
        name: 'service, through the gateway',
        port: gatewayPort,
        processes: [gateway, service, postgresProcess],
      },
      /** Starts the process that executes runs. */
      startWorker: () => start(workerPort, workerOps, process.env.BENCH_RUN_CONCURRENCY ?? '32'),
      postgres: postgresProcess,
      database,
      sign,
      stop: () => processes.stop(),
    };
  } catch (error) {
    await processes.stop();
    throw error;
  }
}

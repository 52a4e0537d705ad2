// The processes of the measurement: one Postgres for both, the bare server, and the service behind the gateway.
import path from 'node:path';
import { accepts } from '../../scripts/platform/readiness.mjs';
import { builtFile, inRoot } from '../../scripts/root.mjs';
import { freePorts } from '../../scripts/servers/free-port.mjs';
import { POSTGRES_STOP_MS, startPostgres } from '../../scripts/servers/postgres.mjs';
import { PASSWORD, Processes, signToken } from '../processes.mjs';
import { fill } from './fill.mjs';

/** @typedef {import('../processes.mjs').Subject} Subject */

/**
 * Starts everything and fills the database.
 * @param {number} records of the measured tenant
 * @param {NodeJS.ProcessEnv} [environment] of the service and the gateway, beside what they need
 */
export async function startSubjects(records, environment = {}) {
  const processes = await Processes.open();
  try {
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
    ] = /** @type {[number, number, number, number, number, number, number, number, number]} */ (await freePorts(9));
    const { url, process: postgres } = await startPostgres({
      dataDir: path.join(processes.folder, 'postgres'),
      port: databasePort,
      password: PASSWORD,
      throwaway: true,
      guard: processes.guard,
    });
    processes.stops.push(() => postgres.stop('SIGINT', POSTGRES_STOP_MS));
    const natsUrl = await processes.startBroker(natsPort);
    /** @type {typeof import('../../libs/database/src/index.js')} */
    const { newId } = await import(builtFile('libs/database'));
    const tenantId = newId();
    const tokens = await signToken(tenantId);
    const { sign, publicKey } = tokens;
    const data = await fill(url, tenantId, records);
    const bare = await processes.start(
      'bare',
      path.join(import.meta.dirname, 'servers', 'bare.mjs'),
      { PORT: String(barePort), DATABASE_URL: data.bareUrl },
      () => accepts(barePort),
    );
    await processes.startIdentity({ port: identityPort, operationsPort: identityOps, natsUrl }, publicKey);
    const service = await processes.startService(
      'custom-objects',
      inRoot('apps', 'custom-objects', 'dist', 'main.js'),
      { port: servicePort, operationsPort: serviceOps, natsUrl },
      { DATABASE_URL: data.runtimeUrl, DATABASE_NARROW_URL: data.narrowUrl, ...environment },
    );
    const gateway = await processes.startGateway(
      { port: gatewayPort, operationsPort: gatewayOps, natsUrl },
      {
        CUSTOM_OBJECTS_URL: `http://127.0.0.1:${servicePort}`,
        IDENTITY_URL: `http://127.0.0.1:${identityPort}`,
        ...environment,
      },
    );
    const database = { name: 'Postgres', pid: /** @type {number} */ (postgres.pid), withChildren: true };
    return {
      bare: { name: 'bare Fastify + pg', port: barePort, processes: [bare, database] },
      direct: { name: 'service, direct', port: servicePort, processes: [service, database] },
      gateway: { name: 'service, through the gateway', port: gatewayPort, processes: [gateway, service, database] },
      get token() {
        return tokens.token;
      },
      /** Signs a token for another tenant. */
      sign,
      tenantId,
      data,
      records,
      processes,
      database,
      /** Of the superuser of Postgres. */
      adminUrl: url,
      stop: () => processes.stop(),
    };
  } catch (error) {
    await processes.stop();
    throw error;
  }
}

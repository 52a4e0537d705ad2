// The processes of the measurement: Postgres with its log on disk, NATS, the source of events, the dispatcher as it runs in
// production but for its way to the receiver, and the receiver.
import path from 'node:path';
import { DATABASES } from '@crm/contracts';
import { newId, provisionDatabase, runMigrations } from '@crm/database';
import { demoReceiverCertificate } from '../../scripts/platform/demo-receiver.mjs';
import { accepts } from '../../scripts/platform/readiness.mjs';
import { inRoot } from '../../scripts/root.mjs';
import { freePorts } from '../../scripts/servers/free-port.mjs';
import { POSTGRES_STOP_MS, startPostgres } from '../../scripts/servers/postgres.mjs';
import { PASSWORD, Processes, signToken } from '../processes.mjs';
import { commandsOf } from './control.mjs';
import { DispatcherApi } from './dispatcher.mjs';
import { EventStream } from './event-stream.mjs';
import { Ledger } from './ledger.mjs';

/** Origins of endpoints that work; endpoints of different tenants share one. */
export const HEALTHY_ORIGINS = 10;
/** Each endpoint that misbehaves has an origin of its own, as it has in life. */
const OTHER_ORIGINS = 11;

/** @typedef {Awaited<ReturnType<typeof startSubjects>>} Subjects */
/** @typedef {'custom-objects' | 'webhook-dispatcher'} Service */

/** Starts everything but the dispatcher. */
export async function startSubjects() {
  const processes = await Processes.open();
  try {
    const ports = await freePorts(9 + HEALTHY_ORIGINS + OTHER_ORIGINS);
    const next = () => /** @type {number} */ (ports.pop());
    const postgres = await startDatabase(processes, next());
    const natsUrl = await processes.startBroker(next());
    const stream = await EventStream.open(natsUrl);
    processes.stops.push(() => stream.close());
    const { sign, publicKey } = await signToken(newId());
    await processes.startIdentity({ port: next(), operationsPort: next(), natsUrl }, publicKey);

    const sourceDatabase = await createDatabase(postgres.url, 'custom-objects');
    const sourcePort = next();
    const source = await processes.start(
      'source',
      path.join(import.meta.dirname, 'servers', 'source.mjs'),
      { ...sourceDatabase, NATS_URL: natsUrl, NATS_PASSWORD: PASSWORD, CONTROL_PORT: String(sourcePort) },
      () => accepts(sourcePort),
    );

    const receiverPort = next();
    const places = { port: next(), operationsPort: next(), natsUrl };
    const certificate = await demoReceiverCertificate(processes.folder);
    const origins = ports.map((port) => `https://127.0.0.1:${port}`);
    const receiver = await processes.start(
      'receiver',
      path.join(import.meta.dirname, 'servers', 'receiver.mjs'),
      {
        PORTS: ports.join(),
        CONTROL_PORT: String(receiverPort),
        KEY_FILE: certificate.keyFile,
        CERT_FILE: certificate.certFile,
      },
      () => accepts(receiverPort),
    );

    const dispatcherDatabase = await createDatabase(postgres.url, 'webhook-dispatcher');
    const ledger = await Ledger.open(inDatabase(postgres.url, DATABASES['webhook-dispatcher'].database));
    processes.stops.push(() => ledger.close());
    const nats = /** @type {NonNullable<typeof processes.broker>} */ (processes.broker);
    return {
      processes,
      stream,
      ledger,
      receiver: commandsOf('The receiver', receiverPort),
      source: commandsOf('The source', sourcePort),
      caFile: certificate.caFile,
      healthyOrigins: origins.slice(0, HEALTHY_ORIGINS),
      /** One for each endpoint that misbehaves. */
      otherOrigins: origins.slice(HEALTHY_ORIGINS),
      postgres: postgres.subject,
      nats,
      /** Of the source and its relay. */
      sourceProcess: source,
      receiverProcess: receiver,

      /** Called once. */
      startDispatcher: async () => {
        const dispatcher = await processes.startService(
          'webhook-dispatcher',
          inRoot('apps', 'webhook-dispatcher', 'dist', 'main.js'),
          places,
          {
            ...dispatcherDatabase,
            KEY_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
            EGRESS_ALLOW: ports.map((port) => `127.0.0.1:${port}`).join(),
            EGRESS_CA_FILE: certificate.caFile,
          },
        );
        return { ...dispatcher, api: new DispatcherApi(places.port, sign) };
      },
      stop: () => processes.stop(),
    };
  } catch (error) {
    await processes.stop();
    throw error;
  }
}

/**
 * Postgres as it is in production: a commit is on disk when it is answered.
 * @param {Processes} processes
 * @param {number} port
 */
async function startDatabase(processes, port) {
  const { url, process: server } = await startPostgres({
    dataDir: path.join(processes.folder, 'postgres'),
    port,
    password: PASSWORD,
    throwaway: false,
    guard: processes.guard,
  });
  processes.stops.push(() => server.stop('SIGINT', POSTGRES_STOP_MS));
  return { url, subject: { name: 'Postgres', pid: /** @type {number} */ (server.pid), withChildren: true } };
}

/**
 * @param {string} adminUrl
 * @param {Service} service
 * @returns {Promise<NodeJS.ProcessEnv>} what the service is told of it
 */
async function createDatabase(adminUrl, service) {
  const { migrations } = await import(inRoot('apps', service, 'dist', 'migrations', 'index.js'));
  const passwords = { owner: PASSWORD, runtime: PASSWORD, narrow: PASSWORD };
  const urls = await provisionDatabase({ adminUrl, definition: DATABASES[service], passwords });
  await runMigrations({ ownerUrl: urls.ownerUrl, migrations });
  return { DATABASE_URL: urls.runtimeUrl, DATABASE_NARROW_URL: urls.narrowUrl };
}

/**
 * @param {string} adminUrl
 * @param {string} database
 */
function inDatabase(adminUrl, database) {
  const url = new URL(adminUrl);
  url.pathname = database;
  return url.href;
}

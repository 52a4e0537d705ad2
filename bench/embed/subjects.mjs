// The processes of the measurement: one Postgres for both, the bare server, identity, and the embed-gateway in front of it.
import path from 'node:path';
import { accepts } from '../../scripts/platform/readiness.mjs';
import { inRoot } from '../../scripts/root.mjs';
import { freePorts } from '../../scripts/servers/free-port.mjs';
import { POSTGRES_STOP_MS, startPostgres } from '../../scripts/servers/postgres.mjs';
import { PASSWORD, Processes } from '../processes.mjs';
import { prepareDatabase } from './database.mjs';

export async function startSubjects() {
  const processes = await Processes.open();
  try {
    const [databasePort, natsPort, barePort, identityPort, identityOps, edgePort, edgeOps] =
      /** @type {[number, number, number, number, number, number, number]} */ (await freePorts(7));
    const { url, process: postgres } = await startPostgres({
      dataDir: path.join(processes.folder, 'postgres'),
      port: databasePort,
      password: PASSWORD,
      throwaway: true,
      guard: processes.guard,
    });
    processes.stops.push(() => postgres.stop('SIGINT', POSTGRES_STOP_MS));
    const natsUrl = await processes.startBroker(natsPort);
    const { runtimeUrl, narrowUrl, bareUrl } = await prepareDatabase(url);
    const bare = await processes.start(
      'bare',
      path.join(import.meta.dirname, 'servers', 'bare.mjs'),
      { PORT: String(barePort), DATABASE_URL: bareUrl },
      () => accepts(barePort),
    );
    const main = (/** @type {string} */ name) => inRoot('apps', name, 'dist', 'main.js');
    const identity = await processes.startService(
      'identity',
      main('identity'),
      { port: identityPort, operationsPort: identityOps, natsUrl },
      {
        DATABASE_URL: runtimeUrl,
        DATABASE_NARROW_URL: narrowUrl,
        KEY_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
        // Nobody listens on the discard port: no mail is sent.
        SMTP_URL: 'smtp://127.0.0.1:9',
      },
    );
    const edge = await processes.startService(
      'embed-gateway',
      main('embed-gateway'),
      { port: edgePort, operationsPort: edgeOps, natsUrl },
      { EMBED_PAGE_DIR: inRoot('apps', 'embed-page', 'dist') },
    );
    const database = { name: 'Postgres', pid: /** @type {number} */ (postgres.pid), withChildren: true };
    const broker = processes.broker ? [processes.broker] : [];
    return {
      bare: { name: 'bare Fastify + pg + jose', port: barePort, processes: [bare, database] },
      edge: {
        name: 'embed-gateway and identity',
        port: edgePort,
        processes: [edge, identity, ...broker, database],
      },
      stop: () => processes.stop(),
    };
  } catch (error) {
    await processes.stop();
    throw error;
  }
}

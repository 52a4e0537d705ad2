// The processes of the measurement: identity as it runs in production, with its Postgres and broker, and the bare server.
import path from 'node:path';
import { accepts } from '../../scripts/platform/readiness.mjs';
import { builtFile, inRoot } from '../../scripts/root.mjs';
import { freePorts } from '../../scripts/servers/free-port.mjs';
import { POSTGRES_STOP_MS, startPostgres } from '../../scripts/servers/postgres.mjs';
import { PASSWORD, Processes } from '../processes.mjs';

/** @param {string} signInPassword of every account */
export async function startSubjects(signInPassword) {
  const processes = await Processes.open();
  try {
    const [databasePort, natsPort, barePort, port, operationsPort] =
      /** @type {[number, number, number, number, number]} */ (await freePorts(5));
    const { url, process: postgres } = await startPostgres({
      dataDir: path.join(processes.folder, 'postgres'),
      port: databasePort,
      password: PASSWORD,
      throwaway: true,
      guard: processes.guard,
    });
    processes.stops.push(() => postgres.stop('SIGINT', POSTGRES_STOP_MS));
    const natsUrl = await processes.startBroker(natsPort);
    const database = await prepareDatabase(url);
    const bare = await processes.start(
      'bare',
      path.join(import.meta.dirname, 'servers', 'bare.mjs'),
      { PORT: String(barePort), BENCH_SIGN_IN_PASSWORD: signInPassword },
      () => accepts(barePort),
    );
    const identity = await processes.startService(
      'identity',
      inRoot('apps', 'identity', 'dist', 'main.js'),
      { port, operationsPort, natsUrl },
      {
        DATABASE_URL: database.runtimeUrl,
        DATABASE_NARROW_URL: database.narrowUrl,
        KEY_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
        // Nobody listens on the discard port: no mail is sent.
        SMTP_URL: 'smtp://127.0.0.1:9',
        // On a busy machine a round must not end with a refusal.
        PASSWORD_HASH_WAIT_MS: '10000',
      },
    );
    const postgresProcess = { name: 'Postgres', pid: /** @type {number} */ (postgres.pid), withChildren: true };
    return {
      bare: { name: 'bare Fastify + Argon2id', port: barePort, processes: [bare] },
      identity: { name: 'identity', port, processes: [identity, postgresProcess] },
      stop: () => processes.stop(),
    };
  } catch (error) {
    await processes.stop();
    throw error;
  }
}

/** @param {string} adminUrl of the server */
async function prepareDatabase(adminUrl) {
  /** @type {typeof import('../../libs/database/src/index.js')} */
  const { provisionDatabase, runMigrations } = await import(builtFile('libs/database'));
  /** @type {typeof import('../../libs/contracts/src/index.js')} */
  const { DATABASES } = await import(builtFile('libs/contracts'));
  /** @type {typeof import('../../apps/identity/src/migrations/index.js')} */
  const { migrations } = await import(inRoot('apps/identity/dist/migrations/index.js'));
  const passwords = { owner: PASSWORD, runtime: PASSWORD, narrow: PASSWORD };
  const urls = await provisionDatabase({ adminUrl, definition: DATABASES.identity, passwords });
  await runMigrations({ ownerUrl: urls.ownerUrl, migrations });
  return urls;
}

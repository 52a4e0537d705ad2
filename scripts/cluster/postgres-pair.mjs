import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { chownAll, takeBaseBackup } from '../servers/base-backup.mjs';
import { POSTGRES_STOP_MS, startPostgres } from '../servers/postgres.mjs';
import { unprivilegedUser } from '../servers/unprivileged-user.mjs';

/** Its slot on the primary, and the name by which the primary waits for it. */
const STANDBY = 'standby';
const STREAMING_TIMEOUT_MS = 30_000;
/** How often the primary is asked whether it is there, and how long it may give no answer before the standby takes over. */
const WATCH_MS = 200;
const GIVEN_UP_AFTER_MS = 1000;
/** Two for each of the seven services that have a database, with their pools, and what supervises. */
const MAX_CONNECTIONS = '500';

/**
 * @typedef {object} PairOptions
 * @property {string} folder
 * @property {{ primary: number, standby: number }} ports on 127.0.0.1
 * @property {string} password of the superuser `postgres`
 * @property {import('../processes/guard.mjs').Guard} guard
 * @property {string} logFolder
 */

/** A PostgreSQL server, and one that has everything that the first has acknowledged. */
export class PostgresPair {
  #primary;
  #standby;

  /**
   * @param {import('../servers/postgres.mjs').RunningPostgres} primary
   * @param {import('../servers/postgres.mjs').RunningPostgres} standby
   */
  constructor(primary, standby) {
    this.#primary = primary;
    this.#standby = standby;
  }

  /** @param {PairOptions} options */
  static async start(options) {
    const server = (/** @type {string} */ name, /** @type {number} */ port) =>
      startPostgres({
        dataDir: path.join(options.folder, name),
        port,
        password: options.password,
        throwaway: false,
        guard: options.guard,
        logFile: path.join(options.logFolder, `postgres-${name}.log`),
        settings: { max_connections: MAX_CONNECTIONS },
      });
    const primary = await server('primary', options.ports.primary);
    try {
      await withClient(primary.url, (client) => copyTo(client, options));
      const standby = await server('standby', options.ports.standby);
      const pair = new PostgresPair(primary, standby);
      await withClient(primary.url, awaitCommitsOnStandby);
      return pair;
    } catch (error) {
      await primary.process.stop('SIGINT', POSTGRES_STOP_MS);
      throw error;
    }
  }

  /** Kills the primary as a lost machine would. */
  async killPrimary() {
    this.#primary.process.kill();
    await this.#primary.process.ended;
  }

  /** Resolves when the primary has given no answer for a second. */
  async untilPrimaryIsGone() {
    let answeredAt = performance.now();
    while (performance.now() - answeredAt < GIVEN_UP_AFTER_MS) {
      await delay(WATCH_MS);
      const answers = await withClient(this.#primary.url, (client) => client.query('SELECT 1')).then(
        () => true,
        () => false,
      );
      if (answers) answeredAt = performance.now();
    }
  }

  /** Resolves when the standby takes writes. */
  async promoteStandby() {
    const promoted = await withClient(this.#standby.url, async (client) => {
      const { rows } = await client.query('SELECT pg_promote(true, 60) AS promoted');
      return rows[0].promoted;
    });
    if (!promoted) throw new Error('The standby was not promoted within 60 s');
  }

  async stop() {
    // The primary waits for the standby at each commit, and would at its last.
    await this.#primary.process.stop('SIGINT', POSTGRES_STOP_MS);
    await this.#standby.process.stop('SIGINT', POSTGRES_STOP_MS);
  }
}

/**
 * Copies the files of a running primary to the folder of the standby, and says there whom it follows.
 * @param {pg.Client} client of the primary
 * @param {PairOptions} options
 */
async function copyTo(client, { folder, ports, password }) {
  const to = path.join(folder, 'standby');
  // The slot keeps the log that the standby has not fetched.
  await client.query('SELECT pg_create_physical_replication_slot($1, true)', [STANDBY]);
  await takeBaseBackup(client, to, { awaitsArchive: false });
  const connection = `host=127.0.0.1 port=${ports.primary} user=postgres password=${password} application_name=${STANDBY}`;
  await writeFile(path.join(to, 'standby.signal'), '');
  await writeFile(
    path.join(to, 'postgresql.auto.conf'),
    `primary_conninfo = '${connection}'\nprimary_slot_name = '${STANDBY}'\n`,
    { mode: 0o600 },
  );
  const user = await unprivilegedUser();
  if (user) await chownAll(to, user);
}

/**
 * From then on a commit is acknowledged when it is on the disks of both.
 * @param {pg.Client} primary
 */
async function awaitCommitsOnStandby(primary) {
  const deadline = Date.now() + STREAMING_TIMEOUT_MS;
  const isStreaming = async () => {
    const { rows } = await primary.query(`SELECT FROM pg_stat_replication WHERE state = 'streaming'`);
    return rows.length > 0;
  };
  while (!(await isStreaming())) {
    if (Date.now() > deadline) throw new Error('The standby does not follow the primary');
    await delay(50);
  }
  await primary.query(`ALTER SYSTEM SET synchronous_standby_names = '${STANDBY}'`);
  await primary.query('SELECT pg_reload_conf()');
}

/**
 * @template T
 * @param {string} connectionString
 * @param {(client: pg.Client) => Promise<T>} work
 * @returns {Promise<T>}
 */
async function withClient(connectionString, work) {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 1000 });
  // A server that is killed ends its connections; the work under way says so too.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

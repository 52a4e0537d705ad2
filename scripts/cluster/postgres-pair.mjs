import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../demo/client.mjs';
import { chownAll, takeBaseBackup } from '../servers/base-backup.mjs';
import { POSTGRES_STOP_MS, startPostgres } from '../servers/postgres.mjs';
import { unprivilegedUser } from '../servers/unprivileged-user.mjs';
import { withClient } from '../servers/with-client.mjs';

/** Its slot on the primary, and the name by which the primary waits for it. */
const STANDBY = 'standby';
/** How often the primary is asked whether it is there, and how long it may give no answer before the standby takes over. */
const WATCH_MS = 200;
const GIVEN_UP_AFTER_MS = 1000;
/** Two for each of the seven services that have a database, with their pools, and what supervises. */
const MAX_CONNECTIONS = '500';

/** Starts a PostgreSQL server, and one that has everything that the first has acknowledged.
 * @param {import('./cluster.mjs').Folders} folders
 * @param {{ ports: { primary: number, standby: number }, password: string }} options password: of the superuser `postgres` */
export async function startPostgresPair({ folder, logFolder, guard }, { ports, password }) {
  const server = (/** @type {'primary' | 'standby'} */ name) =>
    startPostgres({
      dataDir: path.join(folder, name),
      port: ports[name],
      password,
      throwaway: false,
      guard,
      logFile: path.join(logFolder, `postgres-${name}.log`),
      settings: { max_connections: MAX_CONNECTIONS },
    });
  const primary = await server('primary');
  const stop = (/** @type {typeof primary} */ one) => one.process.stop('SIGINT', POSTGRES_STOP_MS);
  try {
    const followed = `host=127.0.0.1 port=${ports.primary} user=postgres password=${password} application_name=${STANDBY}`;
    await withClient(primary.url, (client) => copyTo(client, path.join(folder, STANDBY), followed));
    const standby = await server('standby');
    await withClient(primary.url, awaitCommitsOnStandby);
    return {
      /** Kills the primary as a lost machine would, and has the standby take writes when it has given no answer for a second. */
      async failOver() {
        primary.process.kill();
        await primary.process.ended;
        let answeredAt = performance.now();
        while (performance.now() - answeredAt < GIVEN_UP_AFTER_MS) {
          await delay(WATCH_MS);
          const answer = await withClient(primary.url, (client) => client.query('SELECT 1')).catch(() => undefined);
          if (answer) answeredAt = performance.now();
        }
        const promote = (/** @type {import('pg').Client} */ client) =>
          client.query('SELECT pg_promote(true, 60) AS promoted');
        const { rows } = await withClient(standby.url, promote);
        if (!rows[0].promoted) throw new Error('The standby was not promoted within 60 s');
      },
      async stop() {
        // The primary waits for the standby at each commit, and would at its last.
        await stop(primary);
        await stop(standby);
      },
    };
  } catch (error) {
    await stop(primary);
    throw error;
  }
}

/** Copies the files of a running primary, and says there whom the copy follows. @param {import('pg').Client} client @param {string} to @param {string} followed */
async function copyTo(client, to, followed) {
  // The slot keeps the log that the standby has not fetched.
  await client.query('SELECT pg_create_physical_replication_slot($1, true)', [STANDBY]);
  await takeBaseBackup(client, to, { awaitsArchive: false });
  await writeFile(path.join(to, 'standby.signal'), '');
  const settings = `primary_conninfo = '${followed}'\nprimary_slot_name = '${STANDBY}'\n`;
  await writeFile(path.join(to, 'postgresql.auto.conf'), settings, { mode: 0o600 });
  const user = await unprivilegedUser();
  if (user) await chownAll(to, user);
}

/** From then on a commit is acknowledged when it is on the disks of both. @param {import('pg').Client} primary */
async function awaitCommitsOnStandby(primary) {
  const streaming = async () =>
    (await primary.query(`SELECT FROM pg_stat_replication WHERE state = 'streaming'`)).rowCount !== 0;
  await eventually(streaming, 'that the standby follows the primary');
  await primary.query(`ALTER SYSTEM SET synchronous_standby_names = '${STANDBY}'`);
  await primary.query('SELECT pg_reload_conf()');
}

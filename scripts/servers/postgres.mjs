import { randomUUID } from 'node:crypto';
import { chmod, chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PlainError } from '../plain-error.mjs';
import { ChildServer } from '../processes/child-server.mjs';
import { commandLineOf, endProcess, isAlive, lastLines, run } from '../processes/run.mjs';
import { postgresPrograms, reachableDataDir } from './postgres-binaries.mjs';
import { unprivilegedUser } from './unprivileged-user.mjs';

/** @typedef {import('./unprivileged-user.mjs').UnixUser} UnixUser */

/** @typedef {object} PostgresOptions
 * @property {string} dataDir created when it does not exist
 * @property {number} port on 127.0.0.1
 * @property {string} password of the superuser `postgres`
 * @property {boolean} throwaway no durability: for data that is deleted afterwards
 * @property {import('../processes/guard.mjs').Guard} guard
 * @property {string} [logFile]
 * @property {Record<string, string>} [settings] of the server, besides ours */

/** Longest wait for the server to accept connections; recovery after a crash replays the log first. */
const START_TIMEOUT_MS = 60_000;
/** Longest wait for the processes of a killed server to let go of its shared memory. */
const LEFTOVER_TIMEOUT_MS = 15_000;
/** A fast shutdown writes a checkpoint; after this long it is killed and recovers at the next start. */
export const POSTGRES_STOP_MS = 20_000;

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  // TCP alone: nothing needs the socket, and its path would have a length limit of about 100 bytes.
  unix_socket_directories: '',
  max_connections: '300',
  shared_buffers: '128MB',
  // Short queries: compiling them costs more than it saves.
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

/** Given to a server whose data is deleted afterwards: what survives a power cut does not matter there. */
const THROWAWAY_SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  // A test connects often; the default of 4096 rounds is there for stolen password files.
  scram_iterations: '64',
};

/** Starts a server on a data folder, which is created if need be, and resolves when it accepts connections.
 * @param {PostgresOptions} options @throws {PlainError} when the data folder is broken or the server does not come up */
export async function startPostgres(options) {
  const user = await unprivilegedUser();
  const programs = await postgresPrograms(user);
  const dataDir = await reachableDataDir(options.dataDir, user);
  await createDataDir({ ...options, dataDir, user, initdb: programs.initdb });
  await clearStalePid(dataDir);

  const settings = {
    ...SETTINGS,
    ...(options.throwaway ? THROWAWAY_SETTINGS : {}),
    ...options.settings,
    port: String(options.port),
  };
  const args = ['-D', dataDir, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  const deadline = Date.now() + LEFTOVER_TIMEOUT_MS;
  for (;;) {
    const server = await ChildServer.start({
      name: 'PostgreSQL',
      command: programs.postgres,
      args,
      // The folder of the caller may be closed to the user it runs as.
      cwd: '/',
      env: { ...process.env, LC_ALL: 'C' },
      logFile: options.logFile,
      guard: options.guard,
      ...(user ? { user } : {}),
    });
    try {
      await server.untilReady(() => isReady(server, dataDir), START_TIMEOUT_MS);
      const url = `postgres://postgres:${encodeURIComponent(options.password)}@127.0.0.1:${options.port}/postgres`;
      return { url, process: server, dataDir };
    } catch {
      await server.stop('SIGINT', POSTGRES_STOP_MS);
      const error = server.startError(options, /FATAL|PANIC|HINT|could not|must not|DETAIL/);
      if (!/shared memory block .* is still in use/.test(error.message) || Date.now() > deadline) throw error;
      await delay(250);
    }
  }
}

/** Runs initdb beside the final place and renames, so that an interrupted run never leaves half a data folder.
 * @param {Pick<PostgresOptions, 'dataDir' | 'password' | 'throwaway'> & { user: UnixUser | undefined, initdb: string }} options */
async function createDataDir({ dataDir, password, throwaway, user, initdb }) {
  const content = await readdir(dataDir).catch((error) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (content?.includes('PG_VERSION')) return;
  if (content && content.length > 0) {
    throw new PlainError(
      `${dataDir} is not a PostgreSQL data folder (no PG_VERSION in it).\n` +
        'Move it away, or let "npm run reset" delete all development data.',
    );
  }
  const unfinished = `${dataDir}.${randomUUID()}`;
  const passwordFile = `${unfinished}.password`;
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  if (user) for (const place of [unfinished, passwordFile]) await chown(place, user.uid, user.gid);
  const outcome = await run(
    initdb,
    [
      `--pgdata=${unfinished}`,
      '--username=postgres',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // The locale that PostgreSQL brings itself: the same order and case rules on every machine.
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      // pg_trgm asks the system what a letter is; with plain C it would drop everything that is not ASCII.
      `--lc-ctype=${process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8'}`,
      ...(throwaway ? ['--no-sync', '--set=scram_iterations=64'] : []),
    ],
    { cwd: '/', env: { ...process.env, LC_ALL: 'C' }, ...(user ? { uid: user.uid, gid: user.gid } : {}) },
  );
  await rm(passwordFile, { force: true });
  if (outcome.code !== 0) {
    await rm(unfinished, { recursive: true, force: true });
    const said = lastLines(outcome.stderr || outcome.stdout, 8);
    throw new PlainError(`PostgreSQL's data folder ${dataDir} could not be created:\n${said}`);
  }
  await chmod(unfinished, 0o700);
  await rename(unfinished, dataDir);
}

/** PostgreSQL clears a stale pid file itself unless the id is another's by now; a server that still runs there is
 * stopped. @param {string} dataDir */
async function clearStalePid(dataDir) {
  const pid = Number((await pidFileLines(dataDir))[0]);
  if (!pid || !isAlive(pid)) return;
  const command = await commandLineOf(pid);
  if (command.includes(dataDir)) await endProcess(pid, 'SIGINT', POSTGRES_STOP_MS);
  else await rm(path.join(dataDir, 'postmaster.pid'), { force: true });
}

/** @param {string} dataDir @returns {Promise<string[]>} empty when there is no pid file */
async function pidFileLines(dataDir) {
  const text = await readFile(path.join(dataDir, 'postmaster.pid'), 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return text.split('\n').map((line) => line.trim());
}

/** Asks what pg_ctl does: line 8 of the pid file says `ready`. @param {ChildServer} server @param {string} dataDir */
async function isReady(server, dataDir) {
  const lines = await pidFileLines(dataDir);
  return Number(lines[0]) === server.pid && lines[7] === 'ready';
}

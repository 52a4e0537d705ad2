import { chmod, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PlainError } from '../plain-error.mjs';
import { Guard } from '../processes/guard.mjs';
import { run, runOrFail, sendSignal } from '../processes/run.mjs';
import { inRoot, ROOT } from '../root.mjs';
import { freePortsInARow } from './free-port.mjs';
import { withClient } from './with-client.mjs';

/** Starts a coordinator and two workers on this machine, at three ports in a row; no part of the project. */
const LAB = process.env.CITUS_LAB ?? inRoot('..', 'shared', 'citus', 'lab');
const NODES = 3;
const START_TRIES = 3;
/** Longest wait for the processes of a killed server to let go of its shared memory. */
const LEFTOVER_TIMEOUT_MS = 15_000;
/** The same as in k8s/components/citus-node. */
const SETTINGS = { 'citus.recover_2pc_interval': '5s', recovery_init_sync_method: 'syncfs', jit: 'off' };
/** For data that is deleted afterwards. Commits are still written before they are answered, so that a killed node loses nothing.
 * Few shards, because each makes a table slower to create. */
const THROWAWAY_SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  // Roles are made on each node for each test database.
  scram_iterations: '64',
  'citus.shard_count': '4',
};

/** Starts a cluster of Citus whose nodes know each other. Its data is deleted at the end, also if this process is killed.
 * @param {string} parent folder that its folder is made in
 * @param {{ port?: number, durable?: boolean }} [options] port: of the coordinator; those of the workers follow. durable: what is committed is on disk
 * @throws {PlainError} when the lab is not there or does not start */
export async function startCitus(parent, { port, durable = false } = {}) {
  if (port) return startAt(port, parent, durable);
  for (let triesLeft = START_TRIES; ; triesLeft -= 1) {
    const [free = 0] = await freePortsInARow(NODES);
    try {
      return await startAt(free, parent, durable);
    } catch (error) {
      // Another program may have taken a port meanwhile.
      if (triesLeft === 1) throw error;
    }
  }
}

/** @param {number} first @param {string} parent @param {boolean} durable */
async function startAt(first, parent, durable) {
  const folder = await mkdtemp(path.join(parent, 'crm-citus-'));
  // PostgreSQL's user must get through.
  await chmod(folder, 0o711);
  // A server whose folder is gone ends by itself within a minute.
  const guard = new Guard({ throwawayFolder: folder });
  const lab = path.join(folder, 'lab');
  const stop = async () => {
    await run(LAB, ['down', lab], { cwd: ROOT });
    await rm(folder, { recursive: true, force: true });
    guard.dismiss();
  };
  try {
    await runOrFail(LAB, ['up', lab, String(first)], {
      cwd: ROOT,
      failure: `${LAB} (or what CITUS_LAB names) starts no Citus cluster`,
    });
    const url = `postgres://postgres@127.0.0.1:${first}/postgres`;
    const workers = await registerNodes(url);
    const settings = durable ? SETTINGS : { ...SETTINGS, ...THROWAWAY_SETTINGS };
    for (const node of [url, ...workers]) await setSettings(node, settings);
    return { url, workers, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Makes the nodes known to each other in the maintenance database, from which provisioning learns of them. Can be repeated;
 * other workers than the lab's, in the two ports after the coordinator's, stay as they are.
 * @param {string} url of the coordinator's superuser @returns {Promise<string[]>} URLs of the workers */
export async function registerNodes(url) {
  const at = (/** @type {number} */ port) => Object.assign(new URL(url), { port: String(port) }).href;
  const port = Number(new URL(url).port);
  const nodes = Array.from({ length: NODES }, (_, index) => port + index);
  const known = await withClient(url, async (client) => {
    await client.query('CREATE EXTENSION IF NOT EXISTS citus');
    return (await client.query('SELECT nodename, nodeport FROM pg_dist_node WHERE groupid > 0 ORDER BY nodeport')).rows;
  });
  if (known.length > 0) {
    return known.map(({ nodename: hostname, nodeport }) => Object.assign(new URL(at(nodeport)), { hostname }).href);
  }
  const workers = nodes.slice(1);
  for (const worker of workers) {
    await withClient(at(worker), (client) => client.query('CREATE EXTENSION IF NOT EXISTS citus'));
  }
  await withClient(url, async (client) => {
    const { hostname } = new URL(url);
    await client.query('SELECT citus_set_coordinator_host($1, $2)', [hostname, port]);
    for (const worker of workers) await client.query('SELECT citus_add_node($1, $2)', [hostname, worker]);
  });
  return workers.map(at);
}

/** @param {string} url @param {Readonly<Record<string, string>>} settings that need no restart */
const setSettings = (url, settings) =>
  withClient(url, async (client) => {
    for (const [name, value] of Object.entries(settings)) await client.query(`ALTER SYSTEM SET ${name} = '${value}'`);
    await client.query('SELECT pg_reload_conf()');
  });

/** Keeps tests from a cluster that someone uses: what they make there they delete. @param {string} url @param {readonly string[]} databases */
export async function requireNoDatabases(url, databases) {
  const { rows } = await withClient(url, (client) =>
    client.query('SELECT datname AS name FROM pg_database WHERE datname = ANY ($1)', [databases]),
  );
  if (rows.length === 0) return;
  const names = rows.map(({ name }) => name).join(', ');
  throw new PlainError(
    `The cluster of CITUS_URL has ${names} already: the tests need one that nobody uses, and delete these`,
  );
}

/** Deletes databases on every node. @param {string} url of the coordinator's superuser @param {readonly string[]} databases */
export async function dropDatabases(url, databases) {
  for (const node of [url, ...(await registerNodes(url))]) {
    await withClient(node, async (client) => {
      await client.query('SET citus.enable_create_database_propagation = off');
      // By force: nodes keep connections to each other.
      for (const database of databases) await client.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
    });
  }
}

/** A node of a lab, to be lost and found. @param {string} url of its superuser */
export async function labNode(url) {
  const { rows } = await withClient(url, (client) => client.query('SHOW data_directory'));
  /** @type {string} */
  const dataDir = rows[0].data_directory;
  const programs = path.join(path.dirname(dataDir), 'pgsql');
  const { uid, gid } = await stat(dataDir);
  return {
    /** Ends it as a lost machine would. */
    async kill() {
      const [pid] = (await readFile(path.join(dataDir, 'postmaster.pid'), 'utf8')).split('\n');
      sendSignal(Number(pid), 'SIGKILL');
    },
    /** From then on it answers nothing, as a machine that has lost its network, until it is thawed. @param {'SIGSTOP' | 'SIGCONT'} signal */
    async signalAll(signal) {
      const [pid = ''] = (await readFile(path.join(dataDir, 'postmaster.pid'), 'utf8')).split('\n');
      const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
      for (const one of [pid, ...children.trim().split(' ')]) sendSignal(Number(one), signal);
    },
    /** Resolves when it accepts connections. */
    async start() {
      const args = ['-D', dataDir, '-l', `${dataDir}.log`, '-w', 'start'];
      // Without HOME, which its user may not read: it looks for certificates there before it connects to another node.
      const { HOME: _home, ...outer } = process.env;
      const env = { ...outer, LD_LIBRARY_PATH: path.join(programs, 'lib') };
      const deadline = Date.now() + LEFTOVER_TIMEOUT_MS;
      for (;;) {
        const outcome = await run(path.join(programs, 'bin', 'pg_ctl'), args, { cwd: '/', env, uid, gid });
        if (outcome.code === 0) return;
        if (Date.now() > deadline) throw new PlainError(`${url} does not start again:\n${outcome.stdout}`);
        await delay(250);
      }
    },
  };
}

import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ChildServer } from '../processes/child-server.mjs';
import { accepts } from '../processes/readiness.mjs';
import { runOrFail } from '../processes/run.mjs';
import { inRoot, ROOT } from '../root.mjs';
import { nodeProgram } from '../setup/node.mjs';
import { knowsSyncInterval, natsProgram } from './programs.mjs';

const HOST = '127.0.0.1';
/** Longest wait for the server to accept connections; a large JetStream store is checked first. */
const START_TIMEOUT_MS = 30_000;
/** NATS writes its last blocks and lets clients go; after this long it is killed. */
export const NATS_STOP_MS = 10_000;

/** @typedef {object} NatsOptions
 * @property {string} dataDir holds the configuration (with passwords: mode 0600) and JetStream's store
 * @property {number} port on 127.0.0.1
 * @property {Record<string, string>} passwords by user: every service and `provisioner`
 * @property {import('../processes/guard.mjs').Guard} guard
 * @property {string} [logFile]
 * @property {{ name: string, port: number, routes: readonly number[] }} [cluster] for one of several servers: its name, the
 *   port that the others connect to, and those of all of them, on 127.0.0.1 */

/** Starts nats-server with JetStream and resolves when it accepts connections.
 * @param {NatsOptions} options @throws {PlainError} when there is no nats-server or it does not come up */
export async function startNats(options) {
  const program = await natsProgram();
  const configFile = path.join(options.dataDir, 'nats.conf');
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  await writeFile(configFile, await natsConfiguration(options, await knowsSyncInterval(program)), { mode: 0o600 });
  const server = await ChildServer.start({
    name: 'NATS',
    command: program,
    args: ['-c', configFile],
    logFile: options.logFile,
    guard: options.guard,
  });
  try {
    await server.untilReady(() => accepts(options.port), START_TIMEOUT_MS);
  } catch {
    await server.stop('SIGTERM', NATS_STOP_MS);
    throw server.startError(options, /\[(FTL|ERR)\]|nats-server:/);
  }
  return { url: `nats://127.0.0.1:${options.port}`, process: server };
}

/** In a process of its own: what derives the permissions would stay in our memory for as long as the platform runs.
 * @param {NatsOptions} options @param {boolean} syncs whether the server can be told how often to write to disk */
async function natsConfiguration({ dataDir, port, passwords, cluster }, syncs) {
  return runOrFail(nodeProgram(), [inRoot('scripts', 'servers', 'nats-configuration.mjs')], {
    cwd: ROOT,
    input: JSON.stringify({
      host: HOST,
      port,
      storeDir: path.join(dataDir, 'jetstream'),
      passwords,
      syncs,
      ...(cluster && {
        serverName: cluster.name,
        cluster: { host: HOST, port: cluster.port, servers: cluster.routes.map((route) => `${HOST}:${route}`) },
      }),
    }),
    failure: 'The configuration of NATS could not be made',
    lines: 15,
  });
}

import { writeFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { eventually } from '../demo/client.mjs';
import { ChildServer } from '../processes/child-server.mjs';
import { programOf } from '../servers/programs.mjs';

const START_TIMEOUT_MS = 10_000;
const STOP_MS = 3000;
/** Checks are so frequent that HAProxy learns as soon as a Kubernetes service of a pod that is not ready any more, or sooner. */
const CHECKS = 'check inter 250ms fastinter 100ms fall 2 rise 1';
/** The proxy of PostgreSQL. */
const DATABASE = 'postgres';

/** @typedef {{ name: string, port: number, replicas: readonly { name: string, port: number, operationsPort: number }[] }} Balanced */
/** @typedef {{ services: readonly Balanced[], database?: { port: number, primary: number, standby: number } }} Topology what stands behind the ports of callers */

/** A request that no replica has got is sent to another; one that a replica may have got, only when it changes nothing.
 * @param {string} socket for orders @param {Topology} topology */
const configurationOf = (socket, { services, database }) => `global
  stats socket ${socket} mode 600 level admin
  maxconn 4000

defaults
  timeout connect 1s
  timeout client 75s
  timeout server 75s
  timeout check 2s
  retries 3
  option redispatch 1
${services
  .map(
    ({ name, port, replicas }) => `
listen ${name}
  mode http
  bind 127.0.0.1:${port}
  balance roundrobin
  retry-on conn-failure empty-response
  http-request disable-l7-retry unless METH_GET or { method OPTIONS }
  option httpchk GET /readyz
${replicas.map((one) => `  server ${one.name} 127.0.0.1:${one.port} ${CHECKS} port ${one.operationsPort}`).join('\n')}
`,
  )
  .join('')}${
  database === undefined
    ? ''
    : `
listen ${DATABASE}
  mode tcp
  bind 127.0.0.1:${database.port}
  timeout client 1h
  timeout server 1h
  server primary 127.0.0.1:${database.primary}
  server standby 127.0.0.1:${database.standby} disabled
`
}`;

/** Starts what stands for the Kubernetes services and the ingress. It takes orders while it runs.
 * @param {import('./cluster.mjs').Folders} folders @param {Topology} topology
 * @throws {PlainError} when there is no HAProxy or it does not come up */
export async function startHaproxy({ folder, logFolder, guard }, topology) {
  const [socket, file] = [path.join(folder, 'haproxy.sock'), path.join(folder, 'haproxy.cfg')];
  await writeFile(file, configurationOf(socket, topology));
  const child = await ChildServer.start({
    name: 'HAProxy',
    command: await programOf('haproxy'),
    args: ['-db', '-f', file],
    logFile: path.join(logFolder, 'haproxy.log'),
    guard,
  });
  await child.untilReady(async () => (await ask(socket, 'show info').catch(() => '')) !== '', START_TIMEOUT_MS);
  const order = async (/** @type {string} */ line) => {
    const answer = (await ask(socket, line)).trim();
    // Orders that are carried out answer nothing.
    if (answer !== '') throw new Error(`HAProxy: ${line}: ${answer}`);
  };

  return {
    stop: () => child.stop('SIGTERM', STOP_MS),

    /** `drain`: no new requests. @param {string} proxy @param {string} server @param {'ready' | 'drain'} state */
    setState: (proxy, server, state) => order(`set server ${proxy}/${server} state ${state}`),

    /** Sends the connections of the database to the standby, once it has taken over. */
    async switchDatabase() {
      await order(`set server ${DATABASE}/primary state maint`);
      await order(`shutdown sessions server ${DATABASE}/primary`);
      await order(`set server ${DATABASE}/standby state ready`);
    },

    /** Resolves when the server gets requests. @param {string} proxy @param {string} server */
    async untilUp(proxy, server) {
      const isUp = async () => {
        const rows = (await ask(socket, 'show stat')).split('\n').map((row) => row.split(','));
        const column = rows[0]?.indexOf('status') ?? -1;
        const status = rows.find(([name, one]) => name === proxy && one === server)?.[column];
        return status?.split(' ')[0] === 'UP';
      };
      await eventually(isUp, `that ${proxy}/${server} gets requests`);
    },
  };
}

/** @param {string} socket @param {string} line @returns {Promise<string>} the answer */
const ask = (socket, line) => text(net.connect({ path: socket }).end(`${line}\n`));

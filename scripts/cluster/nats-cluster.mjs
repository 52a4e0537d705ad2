import path from 'node:path';
import { connect } from '@nats-io/transport-node';
import { eventually } from '../demo/client.mjs';
import { NATS_STOP_MS, startNats } from '../servers/nats.mjs';
import { NODES } from './layout.mjs';

/** Longest wait for the streams to have a leader and copies that are up to date. */
const CURRENT_TIMEOUT_MS = 60_000;

/** @typedef {typeof NODES[number]} Node */
/** @typedef {{ cluster?: { leader?: string, replicas?: { current: boolean, offline?: boolean }[] } }} StreamInfo */

/** Three NATS servers that keep three copies of each stream. They are not started yet.
 * @param {import('./cluster.mjs').Folders} folders
 * @param {{ ports: import('./layout.mjs').ClusterLayout['nats'], url: string, passwords: Record<string, string> }} options url: of all servers, for the clients; passwords: by user */
export function natsCluster({ folder, logFolder, guard }, { ports, url, passwords }) {
  /** @type {Map<Node, import('../processes/child-server.mjs').ChildServer>} */
  const servers = new Map();

  /** @param {Node} node */
  async function startNode(node) {
    const [port = 0, route = 0] = [ports.clients, ports.routes].map((of) => of[NODES.indexOf(node)]);
    const { process: server } = await startNats({
      dataDir: path.join(folder, node),
      port,
      passwords,
      guard,
      logFile: path.join(logFolder, `${node}.log`),
      cluster: { name: node, port: route, routes: ports.routes },
    });
    servers.set(node, server);
  }

  /** @param {string} subject of JetStream's API @param {object} [request] */
  async function ask(subject, request) {
    const connection = await connect({
      servers: url.split(','),
      user: 'provisioner',
      pass: passwords.provisioner,
      inboxPrefix: '_INBOX_provisioner',
      timeout: 1000,
    });
    try {
      return (await connection.request(subject, request && JSON.stringify(request))).json();
    } finally {
      await connection.close();
    }
  }
  /** @returns {Promise<StreamInfo>} of the stream of events */
  const streamInfo = () => ask('$JS.API.STREAM.INFO.EVENTS');
  /** Returns whether a stream of three copies can be made: the servers have a leader, which has seen all of them. */
  async function isReady() {
    const trial = { name: 'TRIAL', subjects: ['trial'], storage: 'memory', num_replicas: NODES.length };
    const made = await ask('$JS.API.STREAM.CREATE.TRIAL', trial).catch(() => ({ error: 'no answer' }));
    return !made.error && !(await ask('$JS.API.STREAM.DELETE.TRIAL')).error;
  }

  /** Returns whether every copy of the stream of events has all of it. */
  async function isCurrent() {
    const { cluster } = await streamInfo().catch(() => /** @type {StreamInfo} */ ({}));
    const current = (cluster?.replicas ?? []).filter((copy) => copy.current && !copy.offline);
    return cluster?.leader !== undefined && current.length === NODES.length - 1;
  }
  const untilCurrent = () => eventually(isCurrent, 'that each copy of the stream is up to date', CURRENT_TIMEOUT_MS);

  return {
    async start() {
      await Promise.all(NODES.map(startNode));
      await eventually(isReady, 'that the servers of NATS make streams', CURRENT_TIMEOUT_MS);
    },

    /** Restarts like an update: a server hands over what it leads, sends its clients to the others and ends. @param {Node} node */
    async restartNode(node) {
      await servers.get(node)?.stop('SIGTERM', NATS_STOP_MS);
      await startNode(node);
      await untilCurrent();
    },

    /** Kills the server that leads the stream of events, and starts it again. @param {() => Promise<unknown>} meanwhile */
    async loseLeader(meanwhile) {
      const leader = /** @type {Node} */ ((await streamInfo()).cluster?.leader);
      servers.get(leader)?.kill();
      await servers.get(leader)?.ended;
      await meanwhile();
      await startNode(leader);
      await untilCurrent();
    },

    stop: () => Promise.all([...servers.values()].map((server) => server.stop('SIGTERM', NATS_STOP_MS))),
  };
}

import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from '@nats-io/transport-node';
import { NATS_STOP_MS, startNats } from '../servers/nats.mjs';

export const NODES = /** @type {const} */ (['nats-1', 'nats-2', 'nats-3']);
/** Longest wait for the streams to have a leader and copies that are up to date. */
const CURRENT_TIMEOUT_MS = 60_000;
const STREAM = 'EVENTS';

/** @typedef {typeof NODES[number]} Node */

/**
 * @typedef {object} NatsClusterOptions
 * @property {string} folder
 * @property {import('./layout.mjs').ClusterLayout['nats']} ports for clients, and for the other servers
 * @property {Record<string, string>} passwords by user
 * @property {import('../processes/guard.mjs').Guard} guard
 * @property {string} logFolder
 */

/** Three NATS servers that keep three copies of each stream. */
export class NatsCluster {
  #options;
  /** @type {Map<Node, import('../processes/child-server.mjs').ChildServer>} */
  #servers = new Map();

  /** @param {NatsClusterOptions} options */
  constructor(options) {
    this.#options = options;
  }

  /** Of all servers, for the clients. */
  get url() {
    return this.#options.ports.clients.map((port) => `nats://127.0.0.1:${port}`).join(',');
  }

  async start() {
    await Promise.all(NODES.map((node) => this.startNode(node)));
  }

  /** @param {Node} node */
  async startNode(node) {
    const { folder, ports, passwords, guard, logFolder } = this.#options;
    const index = NODES.indexOf(node);
    const { clients, routes } = ports;
    const { process: server } = await startNats({
      dataDir: path.join(folder, node),
      port: /** @type {number} */ (clients[index]),
      passwords,
      guard,
      logFile: path.join(logFolder, `${node}.log`),
      cluster: { name: node, port: /** @type {number} */ (routes[index]), routes },
    });
    this.#servers.set(node, server);
  }

  /** @param {Node} node */
  async killNode(node) {
    const server = this.#servers.get(node);
    server?.kill();
    await server?.ended;
  }

  /**
   * As for an update: it hands over what it leads, sends its clients to the other servers and ends.
   * @param {Node} node
   */
  async restartNode(node) {
    await this.#servers.get(node)?.stop('SIGTERM', NATS_STOP_MS);
    await this.startNode(node);
    await this.untilCurrent();
  }

  /** @returns {Promise<Node>} the server that leads the stream of events */
  async leader() {
    const { cluster } = await this.#streamInfo();
    if (!cluster?.leader) throw new Error('The stream of events has no leader');
    return /** @type {Node} */ (cluster.leader);
  }

  /** Resolves when every copy of the stream of events has all of it. */
  async untilCurrent() {
    const deadline = Date.now() + CURRENT_TIMEOUT_MS;
    for (;;) {
      const info = await this.#streamInfo().catch(() => undefined);
      const copies = info?.cluster?.replicas ?? [];
      const isWhole = copies.length === NODES.length - 1 && copies.every(({ current, offline }) => current && !offline);
      if (info?.cluster?.leader && isWhole) return;
      if (Date.now() > deadline)
        throw new Error(`The copies of the stream are not up to date: ${JSON.stringify(copies)}`);
      await delay(100);
    }
  }

  async stop() {
    await Promise.all([...this.#servers.values()].map((server) => server.stop('SIGTERM', NATS_STOP_MS)));
  }

  /** @returns {Promise<{ cluster?: { leader?: string, replicas?: { current: boolean, offline?: boolean }[] } }>} */
  async #streamInfo() {
    const connection = await connect({
      servers: this.url.split(','),
      user: 'provisioner',
      pass: this.#options.passwords.provisioner,
      inboxPrefix: '_INBOX_provisioner',
      timeout: 1000,
    });
    try {
      return (await connection.request(`$JS.API.STREAM.INFO.${STREAM}`)).json();
    } finally {
      await connection.close();
    }
  }
}

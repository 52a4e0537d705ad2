import { fixedLayout, portsOf } from '../platform/layout.mjs';
import { NODES } from './nats-cluster.mjs';

/** Of each service. */
const REPLICAS = 2;
/**
 * From the port of a service to that of its first replica, and from one replica to the next. All ports are below the range
 * from which systems take those of outgoing connections (32768 on Linux), so that a process finds its own free again.
 */
const REPLICA_OFFSET = 12_000;
const NEXT_REPLICA = 100;
/** From the port of the balancer to those of the primary and the standby. */
const DATABASE_OFFSETS = { primary: 10, standby: 11 };
/** From the port of the first server of NATS to the first that servers connect to. */
const ROUTE_OFFSET = 10;

/** @typedef {import('../platform/services.mjs').ServiceName} ServiceName */

/**
 * Every port of a cluster, all on 127.0.0.1.
 * @typedef {object} ClusterLayout
 * @property {import('../platform/layout.mjs').Layout} balancer the addresses of the development profile
 * @property {readonly { service: ServiceName, name: string, port: number, operationsPort: number, operatorsPort?: number }[]} replicas
 * @property {{ primary: number, standby: number }} databases
 * @property {{ clients: readonly number[], routes: readonly number[] }} nats
 */

/**
 * @param {Readonly<Record<ServiceName, number>>} servicePorts
 * @param {number} operationsOffset from a service's port to that of its health and metrics
 * @param {number} offset added to every port
 * @param {import('../platform/layout.mjs').Operators} [operators]
 * @returns {ClusterLayout}
 */
export function clusterLayout(servicePorts, operationsOffset, offset, operators) {
  const balancer = fixedLayout(servicePorts, operationsOffset, offset, operators);
  const { postgres, nats } = balancer.servers;
  return {
    balancer,
    replicas: /** @type {[ServiceName, number][]} */ (Object.entries(servicePorts)).flatMap(([service, servicePort]) =>
      Array.from({ length: REPLICAS }, (_, index) => {
        const port = servicePort + offset + REPLICA_OFFSET + index * NEXT_REPLICA;
        const forOperators = operators?.SERVING_OPERATORS.includes(service) && {
          operatorsPort: port + operators.OPERATORS_PORT_OFFSET,
        };
        return {
          service,
          name: `${service}-${index + 1}`,
          port,
          operationsPort: port + operationsOffset,
          ...forOperators,
        };
      }),
    ),
    databases: { primary: postgres + DATABASE_OFFSETS.primary, standby: postgres + DATABASE_OFFSETS.standby },
    nats: {
      clients: NODES.map((_, index) => nats + index),
      routes: NODES.map((_, index) => nats + ROUTE_OFFSET + index),
    },
  };
}

/**
 * Every port on which something listens, with its name.
 * @param {ClusterLayout} layout
 * @returns {{ port: number, name: string }[]}
 */
export function clusterPorts({ balancer, replicas, databases, nats }) {
  const unused = [balancer.servers.nats, balancer.servers.smtp, balancer.servers.mail];
  const operations = Object.values(balancer.services).map(({ operationsPort }) => operationsPort);
  return [
    ...portsOf(balancer).filter(({ port }) => !unused.includes(port) && !operations.includes(port)),
    ...replicas.flatMap(({ name, port, operationsPort, operatorsPort }) => [
      ...(operatorsPort === undefined ? [] : [{ port: operatorsPort, name: `${name} (for operators)` }]),
      { port, name },
      { port: operationsPort, name: `${name} (health and metrics)` },
    ]),
    { port: databases.primary, name: 'PostgreSQL (primary)' },
    { port: databases.standby, name: 'PostgreSQL (standby)' },
    ...NODES.flatMap((name, index) => [
      { port: /** @type {number} */ (nats.clients[index]), name },
      { port: /** @type {number} */ (nats.routes[index]), name: `${name} (routes)` },
    ]),
  ];
}

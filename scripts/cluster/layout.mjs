export const NODES = /** @type {const} */ (['nats-1', 'nats-2', 'nats-3']);
/** Of each service. */
const REPLICAS = 2;
/** From the port of a service to its first replica and to the next: all stay below 32768, where outgoing ports begin. */
const REPLICA_OFFSET = 12_000;
const NEXT_REPLICA = 100;
/** From the port of the balancer to those of the primary and the standby. */
const DATABASE_OFFSETS = { primary: 10, standby: 11 };
/** From the port of the first server of NATS to the first that servers connect to. */
const ROUTE_OFFSET = 10;

/** The ports behind the addresses of the development profile, at which the balancer answers. All are on 127.0.0.1.
 * @typedef {ReturnType<typeof clusterLayout>} ClusterLayout */

/** @param {import('../platform/layout.mjs').Layout} balancer */
export function clusterLayout({ services, servers: { postgres, nats } }) {
  const names = /** @type {import('../platform/services.mjs').ServiceName[]} */ (Object.keys(services));
  return {
    replicas: names.flatMap((service) =>
      Array.from({ length: REPLICAS }, (_, index) => {
        const moved = (/** @type {number} */ port) => port + REPLICA_OFFSET + index * NEXT_REPLICA;
        const { port = 0, operationsPort = 0, operatorsPort } = services[service] ?? {};
        return {
          service,
          name: `${service}-${index + 1}`,
          port: moved(port),
          operationsPort: moved(operationsPort),
          ...(operatorsPort !== undefined && { operatorsPort: moved(operatorsPort) }),
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

/** Every port on which something listens, with its name, besides those of the balancer. @param {ClusterLayout} layout */
export const clusterPorts = ({ replicas, databases, nats }) => [
  ...replicas.flatMap(({ name, port, operationsPort, operatorsPort }) =>
    [port, operationsPort, operatorsPort].flatMap((one) => (one === undefined ? [] : [{ port: one, name }])),
  ),
  ...Object.entries(databases).map(([name, port]) => ({ port, name: `PostgreSQL (${name})` })),
  ...[...nats.clients, ...nats.routes].map((port) => ({ port, name: 'NATS' })),
];

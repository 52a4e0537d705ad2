export const NODES = /** @type {const} */ (['nats-1', 'nats-2', 'nats-3']);
/** Each service has two. */
const REPLICAS = [1, 2];
/** From the port of a service to those of its replicas: all stay below 32768, where outgoing ports begin. */
const REPLICA_OFFSET = 11_900;
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
      REPLICAS.map((number) => {
        const moved = (/** @type {number} */ port) => port + REPLICA_OFFSET + number * NEXT_REPLICA;
        const { port = 0, operationsPort = 0, operatorsPort } = services[service] ?? {};
        const ports = { port: moved(port), operationsPort: moved(operationsPort) };
        const own = operatorsPort === undefined ? {} : { operatorsPort: moved(operatorsPort) };
        return { service, name: `${service}-${number}`, ...ports, .../** @type {{ operatorsPort?: number }} */ (own) };
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

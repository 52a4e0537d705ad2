import { Haproxy } from './haproxy.mjs';

/** As often as a Kubernetes service learns of a pod that is not ready any more, or sooner. */
const CHECKS = 'check inter 250ms fastinter 100ms fall 2 rise 1';
/** The proxy of PostgreSQL. */
export const DATABASE = 'postgres';

/**
 * A service of the cluster, as the balancer sees it.
 * @typedef {object} Balanced
 * @property {string} name
 * @property {number} port that callers use
 * @property {readonly { name: string, port: number, operationsPort: number }[]} replicas
 */

/**
 * Stands for the Kubernetes services and the ingress: requests go to the replicas that are ready, database connections to
 * the primary.
 * @param {Omit<import('./haproxy.mjs').HaproxyOptions, 'configuration'>} options
 * @param {{ services: readonly Balanced[], database: { port: number, primary: number, standby: number } }} topology
 */
export function startBalancer(options, { services, database }) {
  return Haproxy.start({ ...options, configuration: configurationOf(services, database) });
}

/**
 * A request that no replica has got is sent to another. One that a replica may have got is sent again only when it changes
 * nothing.
 * @param {readonly Balanced[]} services
 * @param {{ port: number, primary: number, standby: number }} database
 * @returns {string}
 */
export const configurationOf = (services, database) => `defaults
  timeout connect 1s
  timeout client 75s
  timeout server 75s
  timeout check 2s
  retries 3
  option redispatch 1

${services.map(httpProxy).join('\n')}
listen ${DATABASE}
  mode tcp
  bind 127.0.0.1:${database.port}
  timeout client 1h
  timeout server 1h
  server primary 127.0.0.1:${database.primary}
  server standby 127.0.0.1:${database.standby} disabled
`;

/** @param {Balanced} service */
const httpProxy = ({ name, port, replicas }) => `listen ${name}
  mode http
  bind 127.0.0.1:${port}
  balance roundrobin
  retry-on conn-failure empty-response
  http-request disable-l7-retry unless METH_GET or { method OPTIONS }
  option httpchk GET /readyz
${replicas.map((one) => `  server ${one.name} 127.0.0.1:${one.port} ${CHECKS} port ${one.operationsPort}`).join('\n')}
`;

import { DATABASES, type StatefulService } from './databases.js';
import { isEdge, SERVICES, SERVING_OPERATORS, type ServiceName } from './services.js';

/** What is not a process of ours but has a part in the platform, inside or outside its namespace. */
export const PEERS = [
  /** The proxy that ends TLS for the public addresses. */
  'public',
  'nats',
  'database',
  /** Redis or Valkey, in which replicas count limits together. */
  'limits',
  /** Scrapes metrics and receives traces. */
  'observability',
  /** Name servers of the cluster. */
  'dns',
  /** The mail server. */
  'mail',
  /** Public addresses, as libs/address-policy defines them, on the port of https. */
  'internet',
  /** The step before a release: databases, roles, migrations, streams. */
  'migrate',
] as const;
export type Peer = (typeof PEERS)[number];

export type ConnectionEnd = ServiceName | Peer;

/** One arrow of ARCHITECTURE.md: who opens a connection to whom, and to which of its ports. */
export interface ConnectionArrow {
  readonly from: ConnectionEnd;
  readonly to: ConnectionEnd;
  readonly port:
    | 'http'
    | 'operators'
    | 'operations'
    | 'nats'
    | 'database'
    | 'redis'
    | 'telemetry'
    | 'dns'
    | 'mail'
    | 'https';
}

/** Services that the gateway forwards requests to. Its routes name exactly these, which a test compares. */
export const BEHIND_GATEWAY: readonly ServiceName[] = SERVICES.filter((name) => !isEdge(name));

/** Services that call addresses which tenants gave. */
export const CALLERS_OF_THE_INTERNET: readonly ServiceName[] = ['identity', 'automation-hooks', 'webhook-dispatcher'];

/** Services that limit calls over all of their replicas. */
export const COUNTERS_OF_LIMITS: readonly ServiceName[] = [
  'gateway',
  'identity',
  'marketplace-admin',
  'embed-gateway',
  'automation-hooks',
];

/** Services that send mail. */
export const SENDERS_OF_MAIL: readonly ServiceName[] = ['identity'];

const hasDatabase = (name: ServiceName): name is StatefulService => Object.hasOwn(DATABASES, name);

/**
 * Every connection that the platform needs; no other is allowed. The network policies in `k8s/base/network` are made from
 * it. That services call each other over NATS, and who may call whom there, is said by the contracts in `rpc`.
 */
export const CONNECTIONS: readonly ConnectionArrow[] = [
  ...SERVICES.filter(isEdge).map((to): ConnectionArrow => ({ from: 'public', to, port: 'http' })),
  ...BEHIND_GATEWAY.map((to): ConnectionArrow => ({ from: 'gateway', to, port: 'http' })),
  ...SERVING_OPERATORS.map((to): ConnectionArrow => ({ from: 'marketplace-admin', to, port: 'operators' })),
  ...[...SERVICES, 'migrate' as const].flatMap((from): ConnectionArrow[] => [
    { from, to: 'dns', port: 'dns' },
    { from, to: 'nats', port: 'nats' },
  ]),
  ...[...SERVICES.filter(hasDatabase), 'migrate' as const].map(
    (from): ConnectionArrow => ({ from, to: 'database', port: 'database' }),
  ),
  ...SERVICES.flatMap((service): ConnectionArrow[] => [
    { from: 'observability', to: service, port: 'operations' },
    { from: service, to: 'observability', port: 'telemetry' },
  ]),
  ...COUNTERS_OF_LIMITS.map((from): ConnectionArrow => ({ from, to: 'limits', port: 'redis' })),
  ...SENDERS_OF_MAIL.map((from): ConnectionArrow => ({ from, to: 'mail', port: 'mail' })),
  ...CALLERS_OF_THE_INTERNET.map((from): ConnectionArrow => ({ from, to: 'internet', port: 'https' })),
];

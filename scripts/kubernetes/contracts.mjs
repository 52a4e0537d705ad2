// What the manifests must agree with, read from the sources: for tests, which compile TypeScript.
import { readFileSync } from 'node:fs';
import { ACCOUNT_PAGE_PATHS } from '../../apps/gateway/src/routing/routing.js';
import { GLOBAL_UNICAST_IPV6, REFUSED_IPV4, REFUSED_IPV6 } from '../../libs/address-policy/src/address.js';
import { CONNECTIONS } from '../../libs/contracts/src/connections.js';
import { DATABASES } from '../../libs/contracts/src/databases.js';
import {
  DEVELOPMENT_PORTS,
  OPERATIONS_PORT_OFFSET,
  OPERATORS_PORT_OFFSET,
  SERVICES,
  SERVING_OPERATORS,
} from '../../libs/contracts/src/services.js';
import { CONSUMERS } from '../../libs/contracts/src/streams.js';
import { DEFAULT_BODY_LIMIT } from '../../libs/http/src/route/route-settings.js';
import { inRoot } from '../root.mjs';
import { handMadeSecrets } from './hand-made-secrets.mjs';

/** @type {import('./network-policies.mjs').NetworkInput} */
export const NETWORK = {
  connections: CONNECTIONS,
  servicePorts: DEVELOPMENT_PORTS,
  operationsOffset: OPERATIONS_PORT_OFFSET,
  operatorsOffset: OPERATORS_PORT_OFFSET,
  ranges: { refusedIpv4: REFUSED_IPV4, globalUnicastIpv6: GLOBAL_UNICAST_IPV6, refusedIpv6: REFUSED_IPV6 },
};

const stateful = Object.keys(DATABASES);

/** @type {import('./rules/index.mjs').Context} */
export const CONTEXT = {
  version: JSON.parse(readFileSync(inRoot('package.json'), 'utf8')).version,
  services: SERVICES,
  servicePorts: DEVELOPMENT_PORTS,
  operationsOffset: OPERATIONS_PORT_OFFSET,
  operatorsOffset: OPERATORS_PORT_OFFSET,
  servingOperators: SERVING_OPERATORS,
  stateful,
  databases: Object.values(DATABASES).map(({ database }) => database),
  bodyLimit: DEFAULT_BODY_LIMIT,
  pagePaths: ACCOUNT_PAGE_PATHS,
  // Consumers of every event; that of identity, which receives one type, needs no process more.
  workers: Object.values(CONSUMERS).filter(({ events }) => events === 'all'),
  handMade: handMadeSecrets({ services: SERVICES, stateful }),
  network: NETWORK,
};

const CITUS_NODES = ['database', 'crm-db-worker-1', 'crm-db-worker-2'];

/**
 * What the rules must know of an overlay.
 * @type {Record<(typeof import('./render.mjs').OVERLAYS)[number], NonNullable<Parameters<typeof import('./rules/index.mjs').manifestProblems>[2]>>}
 */
export const OVERLAY_SETTINGS = {
  dev: { arrows: [{ from: 'identity', to: 'mailpit', port: 1025 }], backup: false },
  production: {},
  'production-citus': {
    arrows: [
      ...CITUS_NODES.flatMap((from) => CITUS_NODES.flatMap((to) => [5432, 8000].map((port) => ({ from, to, port })))),
      ...CITUS_NODES.flatMap((node) => [
        { from: 'register-nodes', to: node, port: 5432 },
        { from: 'database-operator', to: node, port: 5432 },
        { from: 'database-operator', to: node, port: 8000 },
        { from: 'observability', to: node, port: 9187 },
        { from: node, to: 'dns', port: 53 },
        ...['public-address', 'private-address'].flatMap((to) => [443, 6443].map((port) => ({ from: node, to, port }))),
      ]),
      { from: 'register-nodes', to: 'dns', port: 53 },
    ],
  },
};

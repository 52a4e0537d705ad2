// What the manifests must agree with, read from the sources: for tests, which compile TypeScript.
import { readFileSync } from 'node:fs';
import { GLOBAL_UNICAST_IPV6, REFUSED_IPV4, REFUSED_IPV6 } from '../../libs/address-policy/src/ranges.js';
import { CONNECTIONS } from '../../libs/contracts/src/connections.js';
import { DATABASES } from '../../libs/contracts/src/databases.js';
import { DEVELOPMENT_PORTS, OPERATIONS_PORT_OFFSET, SERVICES } from '../../libs/contracts/src/services.js';
import { CONSUMERS } from '../../libs/contracts/src/streams.js';
import { DEFAULT_BODY_LIMIT } from '../../libs/http/src/route/route-settings.decorators.js';
import { inRoot } from '../root.mjs';
import { handMadeSecrets } from './hand-made-secrets.mjs';

/** @type {import('./network-policies.mjs').NetworkInput} */
export const NETWORK = {
  connections: CONNECTIONS,
  servicePorts: DEVELOPMENT_PORTS,
  operationsOffset: OPERATIONS_PORT_OFFSET,
  ranges: { refusedIpv4: REFUSED_IPV4, globalUnicastIpv6: GLOBAL_UNICAST_IPV6, refusedIpv6: REFUSED_IPV6 },
};

const stateful = Object.keys(DATABASES);

/** @type {import('./rules/index.mjs').Context} */
export const CONTEXT = {
  version: JSON.parse(readFileSync(inRoot('package.json'), 'utf8')).version,
  services: SERVICES,
  servicePorts: DEVELOPMENT_PORTS,
  operationsOffset: OPERATIONS_PORT_OFFSET,
  stateful,
  bodyLimit: DEFAULT_BODY_LIMIT,
  // Consumers of every event; that of identity, which receives one type, needs no process more.
  workers: Object.values(CONSUMERS).filter(({ events }) => events === 'all'),
  handMade: handMadeSecrets({ services: SERVICES, stateful }),
  network: NETWORK,
};

/** Connections that an overlay adds to those of the contracts. */
export const ARROWS = {
  dev: [{ from: 'identity', to: 'mailpit', port: 1025 }],
  production: [],
};

// What the manifests must agree with, read from the sources: for tests, which compile TypeScript.
import { REFUSED_IPV4, GLOBAL_UNICAST_IPV6, REFUSED_IPV6 } from '../../libs/address-policy/src/ranges.js';
import { CONNECTIONS } from '../../libs/contracts/src/connections.js';
import { DEVELOPMENT_PORTS, OPERATIONS_PORT_OFFSET } from '../../libs/contracts/src/services.js';

/** @type {import('./network-policies.mjs').NetworkInput} */
export const NETWORK = {
  connections: CONNECTIONS,
  servicePorts: DEVELOPMENT_PORTS,
  operationsOffset: OPERATIONS_PORT_OFFSET,
  ranges: { refusedIpv4: REFUSED_IPV4, globalUnicastIpv6: GLOBAL_UNICAST_IPV6, refusedIpv6: REFUSED_IPV6 },
};

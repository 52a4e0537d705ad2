import { expect, it } from '@jest/globals';
import { fixedLayout, portsOf } from '../platform/layout.mjs';
import { clusterLayout, clusterPorts } from './layout.mjs';

const SERVICES = /** @type {any} */ ({
  gateway: 8080,
  'embed-gateway': 8081,
  'marketplace-admin': 8082,
  identity: 4001,
});
/** The first that Linux gives to outgoing connections. */
const FIRST_EPHEMERAL = 32_768;

it.each([0, 100])(
  'the ports of a cluster differ, and are not taken for outgoing connections, moved by %d',
  (offset) => {
    const layout = fixedLayout(SERVICES, 1000, offset, {
      SERVING_OPERATORS: ['identity'],
      OPERATORS_PORT_OFFSET: 2000,
    });
    const behind = clusterLayout(layout);
    expect(behind.replicas.filter(({ service }) => service === 'gateway')).toEqual([
      { service: 'gateway', name: 'gateway-1', port: 20_080 + offset, operationsPort: 21_080 + offset },
      { service: 'gateway', name: 'gateway-2', port: 20_180 + offset, operationsPort: 21_180 + offset },
    ]);
    const identity = behind.replicas.filter(({ service }) => service === 'identity');
    expect(identity.map(({ operatorsPort }) => operatorsPort)).toEqual([18_001 + offset, 18_101 + offset]);
    // The first server of NATS takes the place of the one of the development profile.
    const others = portsOf(layout).filter(({ name }) => name !== 'NATS');
    const ports = [...others, ...clusterPorts(behind)].map(({ port }) => port);
    expect(new Set(ports).size).toBe(ports.length);
    expect(Math.max(...ports)).toBeLessThan(FIRST_EPHEMERAL);
  },
);

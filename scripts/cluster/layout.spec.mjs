import { describe, expect, it } from '@jest/globals';
import { clusterLayout, clusterPorts } from './layout.mjs';

const SERVICES = /** @type {any} */ ({
  gateway: 8080,
  'embed-gateway': 8081,
  'marketplace-admin': 8082,
  identity: 4001,
});
const OPERATORS = { SERVING_OPERATORS: ['identity'], OPERATORS_PORT_OFFSET: 2000 };
/** The first that Linux gives to outgoing connections. */
const FIRST_EPHEMERAL = 32_768;

describe('the ports of a cluster', () => {
  it('are those of the development profile where callers connect, with two replicas behind each', () => {
    const { balancer, replicas } = clusterLayout(SERVICES, 1000, 0, OPERATORS);
    expect(balancer.services.gateway?.port).toBe(8080);
    expect(replicas.filter(({ service }) => service === 'gateway')).toEqual([
      { service: 'gateway', name: 'gateway-1', port: 20_080, operationsPort: 21_080 },
      { service: 'gateway', name: 'gateway-2', port: 20_180, operationsPort: 21_180 },
    ]);
    expect(balancer.services.identity?.operatorsPort).toBe(6001);
    expect(replicas.filter(({ service }) => service === 'identity').map((one) => one.operatorsPort)).toEqual([
      18_001, 18_101,
    ]);
  });

  it.each([0, 100])('differ, and are not taken for outgoing connections, moved by %d', (offset) => {
    const ports = clusterPorts(clusterLayout(SERVICES, 1000, offset, OPERATORS)).map(({ port }) => port);
    expect(new Set(ports).size).toBe(ports.length);
    expect(Math.max(...ports)).toBeLessThan(FIRST_EPHEMERAL);
  });
});

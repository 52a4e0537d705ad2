import { describe, expect, it } from '@jest/globals';
import { clusterLayout, clusterPorts } from '../cluster/layout.mjs';
import { fixedLayout, freeLayout, portsOf } from './layout.mjs';

const CONTRACTS = {
  DEVELOPMENT_PORTS: { gateway: 8080, 'embed-gateway': 8081, 'marketplace-admin': 8082, identity: 4001 },
  OPERATIONS_PORT_OFFSET: 1000,
  SERVING_OPERATORS: ['identity'],
  OPERATORS_PORT_OFFSET: 2000,
};
/** The first that Linux gives to outgoing connections. */
const FIRST_EPHEMERAL = 32_768;

describe('the ports of a platform', () => {
  it('are those of the development profile, with one for operators where a service serves them', () => {
    const layout = fixedLayout(CONTRACTS, 0);
    expect(layout.services).toMatchObject({
      gateway: { port: 8080, operationsPort: 9080 },
      identity: { port: 4001, operationsPort: 5001, operatorsPort: 6001 },
    });
    expect(layout.services.gateway).not.toHaveProperty('operatorsPort');
    expect(layout.servers).toMatchObject({ postgres: 15432, nats: 14222, smtp: 1025, mail: 8025 });
    expect(portsOf(layout)).toContainEqual({ port: 6001, name: 'identity (for operators)' });
  });

  it('all move by the offset', () => {
    const moved = portsOf(fixedLayout(CONTRACTS, 20_000));
    expect(moved).toEqual(portsOf(fixedLayout(CONTRACTS, 0)).map(({ port, name }) => ({ port: port + 20_000, name })));
  });

  it.each([-1, 0.5, Number.NaN, 60_000])('refuses the offset %p', (offset) => {
    expect(() => fixedLayout(CONTRACTS, offset)).toThrow('PORT_OFFSET');
  });

  it('are all different when chosen among the free ones, and the same in kind', async () => {
    const ports = portsOf(await freeLayout(CONTRACTS));
    expect(new Set(ports.map(({ port }) => port)).size).toBe(ports.length);
    expect(ports.map(({ name }) => name)).toEqual(portsOf(fixedLayout(CONTRACTS, 0)).map(({ name }) => name));
  });
});

it.each([0, 100])('those of a cluster differ, and none is for outgoing connections, moved by %d', (offset) => {
  const layout = fixedLayout(CONTRACTS, offset);
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
});

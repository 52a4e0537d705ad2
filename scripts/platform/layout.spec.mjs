import { describe, expect, it } from '@jest/globals';
import { fixedLayout, freeLayout, portsOf } from './layout.mjs';

const PORTS = /** @type {Parameters<typeof fixedLayout>[0]} */ ({ gateway: 8080, 'custom-objects': 4003 });

describe('the ports of a platform', () => {
  it('are those of the development profile', () => {
    const layout = fixedLayout(PORTS, 1000, 0);
    expect(layout.services).toEqual({
      gateway: { port: 8080, operationsPort: 9080 },
      'custom-objects': { port: 4003, operationsPort: 5003 },
    });
    expect(layout.servers).toMatchObject({ postgres: 15432, nats: 14222, smtp: 1025, mail: 8025 });
  });

  it('have one for operators where a service serves them', async () => {
    const operators = { SERVING_OPERATORS: ['custom-objects'], OPERATORS_PORT_OFFSET: 2000 };
    const layout = fixedLayout(PORTS, 1000, 0, operators);
    expect(layout.services['custom-objects']).toEqual({ port: 4003, operationsPort: 5003, operatorsPort: 6003 });
    expect(portsOf(layout)).toContainEqual({ port: 6003, name: 'custom-objects (for operators)' });
    expect((await freeLayout(['gateway', 'identity'], ['identity'])).services).toEqual({
      gateway: { port: expect.any(Number), operationsPort: expect.any(Number) },
      identity: {
        port: expect.any(Number),
        operationsPort: expect.any(Number),
        operatorsPort: expect.any(Number),
      },
    });
  });

  it('all move by the offset', () => {
    const moved = portsOf(fixedLayout(PORTS, 1000, 20_000));
    expect(moved).toEqual(
      portsOf(fixedLayout(PORTS, 1000, 0)).map(({ port, name }) => ({ port: port + 20_000, name })),
    );
  });

  it.each([-1, 0.5, Number.NaN, 60_000])('refuses the offset %p', (offset) => {
    expect(() => fixedLayout(PORTS, 1000, offset)).toThrow('PORT_OFFSET');
  });

  it('are all different when chosen among the free ones', async () => {
    const ports = portsOf(await freeLayout(['gateway', 'custom-objects', 'identity'])).map(({ port }) => port);
    expect(new Set(ports).size).toBe(ports.length);
  });
});

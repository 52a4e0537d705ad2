import { PlainError } from '../plain-error.mjs';
import { freePorts } from '../servers/free-port.mjs';

/** @typedef {import('./services.mjs').ServiceName} ServiceName */

/** Ports of what is not a service of ours, in the development profile. */
export const SERVER_PORTS = { postgres: 15432, nats: 14222, smtp: 1025, mail: 8025, demoReceiver: 9443 };

/** @typedef {Record<keyof typeof SERVER_PORTS, number>} ServerPorts */

/** Which services have a port for operators, and how far it is from that of the service.
 * @typedef {{ SERVING_OPERATORS: readonly string[], OPERATORS_PORT_OFFSET: number }} Operators */

/** Every port of a running platform, all on 127.0.0.1.
 * @typedef {{ services: Record<string, { port: number, operationsPort: number, operatorsPort?: number }>, servers: ServerPorts }} Layout */

/** @param {readonly string[]} names @param {readonly string[]} servingOperators
 * @param {(name: string, kind: 'http' | 'operations' | 'operators' | 'server') => number} portOf @returns {Layout} */
const layoutOf = (names, servingOperators, portOf) => ({
  services: Object.fromEntries(
    names.map((name) => {
      const ports = { port: portOf(name, 'http'), operationsPort: portOf(name, 'operations') };
      return [name, servingOperators.includes(name) ? { ...ports, operatorsPort: portOf(name, 'operators') } : ports];
    }),
  ),
  servers: /** @type {ServerPorts} */ (
    Object.fromEntries(Object.keys(SERVER_PORTS).map((name) => [name, portOf(name, 'server')]))
  ),
});

/**
 * The ports of the development profile, moved by an offset so that two platforms can run side by side.
 * @param {Readonly<Record<ServiceName, number>>} servicePorts
 * @param {number} operationsOffset from a service's port to that of its health and metrics @param {number} offset
 * @param {Operators} [operators]
 */
export function fixedLayout(servicePorts, operationsOffset, offset, operators) {
  /** @type {Record<string, number>} */
  const fixed = { ...servicePorts, ...SERVER_PORTS };
  const offsets = {
    http: 0,
    server: 0,
    operations: operationsOffset,
    operators: operators?.OPERATORS_PORT_OFFSET ?? 0,
  };
  const layout = layoutOf(
    Object.keys(servicePorts),
    operators?.SERVING_OPERATORS ?? [],
    (name, kind) => Number(fixed[name]) + offsets[kind] + offset,
  );
  const highest = Math.max(...portsOf(layout).map(({ port }) => port));
  if (!Number.isInteger(offset) || offset < 0 || highest > 65_535) {
    throw new PlainError(
      `PORT_OFFSET must be a whole number from 0 that keeps every port below 65536, not "${offset}".`,
    );
  }
  return layout;
}

/** Ports that nobody uses at this moment: for tests.
 * @param {readonly ServiceName[]} services @param {readonly string[]} [servingOperators] */
export async function freeLayout(services, servingOperators = []) {
  const ports = await freePorts(services.length * 3 + Object.keys(SERVER_PORTS).length);
  return layoutOf(services, servingOperators, () => Number(ports.pop()));
}

/** Every port with the name of who will listen there. The receiver of the demo is started by the demo, not by us.
 * @param {Layout} layout */
export function portsOf({ services, servers }) {
  return [
    { port: servers.postgres, name: 'PostgreSQL' },
    { port: servers.nats, name: 'NATS' },
    { port: servers.smtp, name: 'mail catcher (SMTP)' },
    { port: servers.mail, name: 'mail catcher (web)' },
    ...Object.entries(services).flatMap(([name, { port, operationsPort, operatorsPort }]) => [
      { port, name },
      ...(operatorsPort === undefined ? [] : [{ port: operatorsPort, name: `${name} (for operators)` }]),
      { port: operationsPort, name: `${name} (health and metrics)` },
    ]),
  ];
}

import { PlainError } from '../plain-error.mjs';
import { freePorts } from '../servers/free-port.mjs';

/** Ports of what is not a service of ours, in the development profile. */
export const SERVER_PORTS = { postgres: 15432, nats: 14222, smtp: 1025, mail: 8025, demoReceiver: 9443 };

/** What the contracts say of ports: those of the development profile, and how far others are from them.
 * @typedef {{ DEVELOPMENT_PORTS: Readonly<Record<string, number>>, OPERATIONS_PORT_OFFSET: number, SERVING_OPERATORS: readonly string[], OPERATORS_PORT_OFFSET: number }} Contracts */

/** Every port of a running platform, all on 127.0.0.1. @typedef {ReturnType<typeof layoutOf>} Layout */

/** @param {Contracts} contracts @param {(port: number) => number} place of a port of the development profile */
function layoutOf(contracts, place) {
  const { DEVELOPMENT_PORTS, OPERATIONS_PORT_OFFSET, SERVING_OPERATORS, OPERATORS_PORT_OFFSET } = contracts;
  const services = Object.entries(DEVELOPMENT_PORTS).map(([name, port]) => {
    const ports = { port: place(port), operationsPort: place(port + OPERATIONS_PORT_OFFSET) };
    const operatorsPort = SERVING_OPERATORS.includes(name) ? place(port + OPERATORS_PORT_OFFSET) : undefined;
    return /** @type {const} */ ([name, { ...ports, ...(operatorsPort !== undefined && { operatorsPort }) }]);
  });
  const servers = Object.entries(SERVER_PORTS).map(([name, port]) => [name, place(port)]);
  return {
    /** @type {Record<string, { port: number, operationsPort: number, operatorsPort?: number }>} */
    services: Object.fromEntries(services),
    servers: /** @type {typeof SERVER_PORTS} */ (Object.fromEntries(servers)),
  };
}

/** The ports of the development profile, moved by an offset so that two platforms can run side by side.
 * @param {Contracts} contracts @param {number} offset */
export function fixedLayout(contracts, offset) {
  const layout = layoutOf(contracts, (port) => port + offset);
  const highest = Math.max(...portsOf(layout).map(({ port }) => port));
  if (!Number.isInteger(offset) || offset < 0 || highest > 65_535) {
    throw new PlainError(
      `PORT_OFFSET must be a whole number from 0 that keeps every port below 65536, not "${offset}".`,
    );
  }
  return layout;
}

/** Ports that nobody uses at this moment: for tests. @param {Contracts} contracts */
export async function freeLayout(contracts) {
  const ports = await freePorts(Object.keys({ ...contracts.DEVELOPMENT_PORTS, ...SERVER_PORTS }).length * 3);
  return layoutOf(contracts, () => Number(ports.pop()));
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

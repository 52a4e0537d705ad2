import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';

/** Below the ports that systems give to outgoing connections, one of which could take a port before its server does. */
const PORTS = /** @type {const} */ ([12_000, 32_000]);

/** Ports that are free on 127.0.0.1 at this moment. All are held open until the last one is known, so that they differ.
 * @param {number} count @returns {Promise<number[]>} */
export async function freePorts(count) {
  /** @type {net.Server[]} */
  const servers = [];
  while (servers.length < count) {
    const server = await hold(randomInt(...PORTS));
    if (server) servers.push(server);
  }
  return release(servers);
}

/** Free ports, each the one after the other. @param {number} count @returns {Promise<number[]>} */
export async function freePortsInARow(count) {
  for (;;) {
    const first = randomInt(...PORTS);
    const servers = await Promise.all(Array.from({ length: count }, (_, index) => hold(first + index)));
    const ports = await release(servers.filter((server) => server !== undefined));
    if (ports.length === count) return ports;
  }
}

/** @param {number} port @returns {Promise<net.Server | undefined>} undefined: someone else has it */
async function hold(port) {
  const server = net.createServer().listen(port, '127.0.0.1');
  return once(server, 'listening').then(
    () => server,
    (error) => {
      if (error.code !== 'EADDRINUSE') throw error;
      return undefined;
    },
  );
}

/** @param {readonly net.Server[]} servers */
async function release(servers) {
  const ports = servers.map((server) => /** @type {net.AddressInfo} */ (server.address()).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

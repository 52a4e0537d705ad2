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
    const server = net.createServer().listen(randomInt(...PORTS), '127.0.0.1');
    await once(server, 'listening').then(
      () => servers.push(server),
      (error) => {
        if (error.code !== 'EADDRINUSE') throw error;
      },
    );
  }
  const ports = servers.map((server) => /** @type {net.AddressInfo} */ (server.address()).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

import { once } from 'node:events';
import net from 'node:net';
import { expect, it } from '@jest/globals';
import { freePorts } from '../servers/free-port.mjs';
import { requireFreePorts } from './port-check.mjs';

it('ports that are in use are all named at once, with who wants them; free ones are no problem', async () => {
  const free = { name: 'gateway', port: (await freePorts(1))[0] ?? 0 };
  const servers = [net.createServer().listen(0, '127.0.0.1'), net.createServer().listen(0, '127.0.0.1')];
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const [nats = 0, mail = 0] = servers.map((server) => /** @type {net.AddressInfo} */ (server.address()).port);
  try {
    await expect(requireFreePorts([free, { name: 'NATS', port: nats }, { name: 'mail', port: mail }])).rejects.toThrow(
      `2 ports are in use; nothing was started.\n  127.0.0.1:${nats}, wanted by NATS\n  127.0.0.1:${mail}, wanted by mail\n`,
    );
    await expect(requireFreePorts([free, { name: 'NATS', port: nats }])).rejects.toThrow('A port is in use');
  } finally {
    for (const server of servers) server.close();
  }
  await requireFreePorts([free]);
});

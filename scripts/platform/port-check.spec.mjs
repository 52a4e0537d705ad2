import net from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { PlainError } from '../plain-error.mjs';
import { freePorts } from '../servers/free-port.mjs';
import { portsInUseMessage, requireFreePorts } from './port-check.mjs';

describe('ports that are in use', () => {
  it('are named with who wants them and who holds them', () => {
    const message = portsInUseMessage([
      { port: 4003, name: 'custom-objects', holder: 'node server.js (process 4711)' },
    ]);
    expect(message).toContain('A port is in use; nothing was started.');
    expect(message).toContain('127.0.0.1:4003, wanted by custom-objects, is held by node server.js (process 4711)');
    expect(message).toContain('PORT_OFFSET');
  });

  it('are all named at once, also when the holder is unknown', () => {
    const message = portsInUseMessage([
      { port: 1, name: 'NATS' },
      { port: 2, name: 'custom-objects' },
    ]);
    expect(message).toContain('2 ports are in use');
    expect(message).toContain('127.0.0.1:1, wanted by NATS, is held by another program');
  });

  it('are found by trying, and the holder by its process', async () => {
    const server = net.createServer();
    await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
    const { port } = /** @type {net.AddressInfo} */ (server.address());
    const refusal = requireFreePorts([{ port, name: 'gateway' }]);
    await expect(refusal).rejects.toBeInstanceOf(PlainError);
    await expect(refusal).rejects.toThrow(`127.0.0.1:${port}, wanted by gateway, is held by`);
    await expect(refusal).rejects.toThrow(`(process ${process.pid})`);
    await new Promise((resolve) => server.close(resolve));
  });

  it('are no problem when nobody listens', async () => {
    const [port = 0] = await freePorts(1);
    await expect(requireFreePorts([{ port, name: 'gateway' }])).resolves.toBeUndefined();
  });
});

import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { inRoot } from '../root.mjs';

describe('the health check of the images', () => {
  /** @type {import('node:http').Server | undefined} */
  let server;
  afterEach(async () => {
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
    server = undefined;
  });

  /** @param {number} status @returns {Promise<string>} the port */
  const listen = (status) =>
    new Promise((resolve) => {
      const listening = createServer((request, response) => {
        response.writeHead(request.url === '/readyz' ? status : 404, { connection: 'close' }).end('{"nats":"up"}');
      });
      server = listening;
      listening.listen(0, '127.0.0.1', () => {
        resolve(String(/** @type {import('node:net').AddressInfo} */ (listening.address()).port));
      });
    });
  /** @param {string} port @returns {Promise<{ code: unknown, stdout: string, stderr: string }>} */
  const check = (port) =>
    new Promise((resolve) => {
      execFile(
        process.execPath,
        [inRoot('deploy', 'healthcheck.mjs')],
        { env: { OPS_PORT: port } },
        (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
      );
    });

  it.each([
    [200, 0],
    [503, 1],
  ])('exits by what the service says of itself: %d → %d', async (status, code) => {
    expect(await check(await listen(status))).toMatchObject({ code, stdout: '{"nats":"up"}' });
  });

  it('fails with the reason when nobody answers', async () => {
    const port = await listen(200);
    await new Promise((resolve) => server?.close(resolve));
    server = undefined;
    expect(await check(port)).toMatchObject({ code: 1, stderr: expect.stringContaining('ECONNREFUSED') });
  });
});

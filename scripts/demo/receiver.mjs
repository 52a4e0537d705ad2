import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';

/** A request that the receiver got.
 * @typedef {{ id: string, headers: import('node:http').IncomingHttpHeaders, body: string }} Received */

/** A webhook receiver as an app's developer would run it: https, on loopback.
 * @param {{ port: number, keyFile: string, certFile: string }} address
 * @returns {Promise<{ received: Received[], close(): Promise<void> }>} */
export async function startDemoReceiver({ port, keyFile, certFile }) {
  /** @type {Received[]} */
  const received = [];
  const server = createServer({ key: await readFile(keyFile), cert: await readFile(certFile) }, (request, response) => {
    /** @type {Buffer[]} */
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      received.push({ id: String(request.headers['webhook-id']), headers: request.headers, body });
      response.writeHead(204).end();
    });
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(undefined));
  });
  return {
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

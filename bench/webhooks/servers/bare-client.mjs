// The upper bound: undici alone sends the same requests to the same receiver from one process. No events, no ledger, no
// signatures, no checks of addresses. Environment: URLS (of the endpoints, separated by commas), CA_FILE, CONTROL_PORT.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Pool } from 'undici';
import { serveCommands } from '../control.mjs';

const { URLS = '', CA_FILE = '', CONTROL_PORT } = process.env;
const ca = readFileSync(CA_FILE, 'utf8');
const urls = URLS.split(',').map((url) => new URL(url));
/** Of one origin, as many as the service keeps idle for one. */
const CONNECTIONS = 8;
/** @type {Map<string, Pool>} */
const pools = new Map();
for (const { origin } of urls) {
  if (!pools.has(origin)) pools.set(origin, new Pool(origin, { connections: CONNECTIONS, connect: { ca } }));
}

/** What a delivery has beside its id: the lengths count, not the values. */
const HEADERS = {
  'user-agent': 'crm-platform/1',
  'content-type': 'application/json',
  'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
  'webhook-signature': `v1,${Buffer.alloc(32, 7).toString('base64')}`,
  'x-platform-signature': `t=${Math.floor(Date.now() / 1000)},v1=${Buffer.alloc(32, 7).toString('hex')}`,
  'accept-encoding': 'identity',
};

serveCommands(Number(CONTROL_PORT), {
  /**
   * Sends for a time, one request after the other on each connection.
   * @param {{ milliseconds: number, body: string }} input
   * @returns {Promise<{ requests: number, seconds: number }>}
   */
  send: async ({ milliseconds, body }) => {
    const begun = performance.now();
    const deadline = begun + milliseconds;
    let requests = 0;
    const use = async (/** @type {URL} */ { origin, pathname: path }) => {
      const pool = /** @type {Pool} */ (pools.get(origin));
      while (performance.now() < deadline) {
        const headers = { ...HEADERS, 'webhook-id': randomUUID() };
        const answer = await pool.request({ method: 'POST', path, headers, body });
        await answer.body.arrayBuffer();
        if (answer.statusCode !== 200) throw new Error(`${origin} answered ${answer.statusCode}`);
        requests += 1;
      }
    };
    await Promise.all(urls.flatMap((url) => Array.from({ length: CONNECTIONS }, () => use(url))));
    return { requests, seconds: (performance.now() - begun) / 1000 };
  },
});

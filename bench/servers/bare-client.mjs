// The upper bound of deliveries: undici alone sends the same requests to the same receiver. No events, no ledger, no signatures,
// no checks of addresses. Environment: PORT (of commands), URLS (of the endpoints, separated by commas), CA_FILE.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Pool } from 'undici';
import { serveCommands } from './control.mjs';

const { PORT, URLS = '', CA_FILE = '' } = process.env;
/** To one origin, as many as the service keeps idle for one. */
const CONNECTIONS = 8;
const ca = readFileSync(CA_FILE, 'utf8');
const endpoints = URLS.split(',').map((url) => {
  const { origin, pathname } = new URL(url);
  return { path: pathname, pool: new Pool(origin, { connections: CONNECTIONS, connect: { ca } }) };
});

/** What a delivery has beside its id: the lengths count, not the values. */
const HEADERS = {
  'user-agent': 'crm-platform/1',
  'content-type': 'application/json',
  'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
  'webhook-signature': `v1,${Buffer.alloc(32, 7).toString('base64')}`,
  'x-platform-signature': `t=${Math.floor(Date.now() / 1000)},v1=${Buffer.alloc(32, 7).toString('hex')}`,
  'accept-encoding': 'identity',
};

serveCommands(Number(PORT), {
  /** For a time, one request after the other on each connection. @param {{ milliseconds: number, body: string }} input */
  send: async ({ milliseconds, body }) => {
    const begun = performance.now();
    let requests = 0;
    const use = async (/** @type {typeof endpoints[0]} */ { path, pool }) => {
      while (performance.now() < begun + milliseconds) {
        const headers = { ...HEADERS, 'webhook-id': randomUUID() };
        const answer = await pool.request({ method: 'POST', path, headers, body });
        await answer.body.arrayBuffer();
        if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}`);
        requests += 1;
      }
    };
    await Promise.all(endpoints.flatMap((endpoint) => Array.from({ length: CONNECTIONS }, () => use(endpoint))));
    return { requests, seconds: (performance.now() - begun) / 1000 };
  },
});

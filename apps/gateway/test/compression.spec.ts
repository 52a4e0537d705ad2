import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import type { RunningService } from '@crm/runtime';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Services, startGateway } from './harness.js';

const LIST = JSON.stringify({ data: Array.from({ length: 300 }, (_, n) => ({ id: n, lastName: `Lovelace ${n} ä` })) });
const LONG = JSON.stringify({ data: Array.from({ length: 600 }, (_, n) => ({ id: n, note: 'x'.repeat(200) })) });

describe('answers of the gateway', () => {
  let services: Services;
  let gateway: RunningService;

  beforeAll(async () => {
    services = await Services.start();
    services.answer = ({ url }) => ({ body: url.includes('long') ? LONG : LIST });
    gateway = await startGateway(services);
  });
  afterAll(async () => {
    await gateway.close();
    await services.close();
  });

  /** Node's own client, which decodes nothing. */
  const get = (path: string, encoding?: string, method = 'GET') =>
    new Promise<{ headers: NodeJS.Dict<string | string[]>; body: Buffer }>((resolve, reject) => {
      const headers = { connection: 'close', ...(encoding && { 'accept-encoding': encoding }) };
      const sent = request(gateway.url + path, { method, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve({ headers: response.headers, body: Buffer.concat(chunks) }));
      });
      sent.on('error', reject).end();
    });

  it('are compressed where they are lists of records, for clients that understand it', async () => {
    const { headers, body } = await get('/api/crm/leads', 'gzip, br');
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', 'content-length': String(body.length) });
    expect(headers.vary).toContain('accept-encoding');
    expect(body.length).toBeLessThan(LIST.length / 3);
    expect(gunzipSync(body).toString()).toBe(LIST);
  });

  it('are left as they are for other clients, which caches can tell from these', async () => {
    for (const encoding of [undefined, 'br', 'gzip;q=0']) {
      const { headers, body } = await get('/api/crm/custom/asset/records', encoding);
      expect([headers['content-encoding'], body.toString()]).toEqual([undefined, LIST]);
      expect(headers.vary).toContain('accept-encoding');
    }
  });

  it.each(['/api/auth/sessions', '/api/tenant/users', '/api/webhooks/subscriptions', '/api/crm/automations/workflows'])(
    'are never compressed below %s, where answers have secrets',
    async (path) => {
      const { headers, body } = await get(path, 'gzip');
      expect([headers['content-encoding'], headers.vary, body.toString()]).toEqual([undefined, undefined, LIST]);
    },
  );

  it('that are streamed are not compressed', async () => {
    const { headers, body } = await get('/api/crm/leads?long', 'gzip');
    expect([headers['content-encoding'], body.toString()]).toEqual([undefined, LONG]);
  });
});

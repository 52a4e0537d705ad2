import type { RunningService } from '@crm/runtime';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Services, startGateway } from './harness.js';

describe('the OpenAPI document and the error pages of the gateway', () => {
  let services: Services;
  let gateway: RunningService;

  beforeAll(async () => {
    services = await Services.start();
    services.answer = ({ service }) => ({
      body: JSON.stringify({
        openapi: '3.1.1',
        paths: {
          [service === 'custom-objects' ? '/api/crm/leads' : `/api/internal/${service}`]: {
            get: { responses: { default: { $ref: '#/components/schemas/Problem' } } },
          },
          ...(service === 'custom-objects' && {
            '/api/crm/custom': { get: { x: { $ref: '#/components/schemas/Row' } } },
          }),
        },
        components: { schemas: { Problem: { type: 'object' }, Row: { title: service } } },
      }),
    });
    gateway = await startGateway(services);
  });
  afterAll(async () => {
    await gateway.close();
    await services.close();
  });

  it('merges the paths of the services that the public can reach', async () => {
    const document = (await (await fetch(`${gateway.url}/api/openapi.json`)).json()) as {
      openapi: string;
      paths: Record<string, { get: { x?: unknown } }>;
      components: { schemas: Record<string, { title: string }> };
    };
    expect(document.openapi).toBe('3.1.1');
    expect(Object.keys(document.paths)).toEqual(['/api/crm/custom', '/api/crm/leads']);
    expect(document.components.schemas.Problem).toEqual({ type: 'object' });
    // The first one keeps its name; another schema of the same name gets a longer one.
    expect(document.components.schemas.CustomObjectsRow?.title).toBe('custom-objects');
    expect(document.paths['/api/crm/custom']?.get.x).toEqual({ $ref: '#/components/schemas/CustomObjectsRow' });
  });

  it('keeps the merged document for a while', async () => {
    const before = services.received.length;
    await fetch(`${gateway.url}/api/openapi.json`);
    expect(services.received.length).toBe(before);
  });

  it('writes the merged document once, not for each call', async () => {
    const stringify = jest.spyOn(JSON, 'stringify');
    const answer = await fetch(`${gateway.url}/api/openapi.json`);
    const written = stringify.mock.calls.filter(([value]) => Object(value).openapi !== undefined);
    stringify.mockRestore();
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(((await answer.json()) as { openapi: string }).openapi).toBe('3.1.1');
    expect(written).toEqual([]);
  });

  it('keeps an incomplete document for five seconds', async () => {
    const others = await Services.start();
    others.answer = ({ service }) => (service === 'identity' ? { status: 503 } : { body: '{"paths":{}}' });
    const other = await startGateway(others);
    const now = jest.spyOn(Date, 'now');
    try {
      const read = async () => (await fetch(`${other.url}/api/openapi.json`)).status;
      expect([await read(), await read()]).toEqual([200, 200]);
      const asked = others.received.length;
      expect(asked).toBe(Object.keys(others.urls).length);
      const later = Date.now() + 5001;
      now.mockImplementation(() => later);
      expect(await read()).toBe(200);
      expect(others.received.length).toBe(2 * asked);
    } finally {
      now.mockRestore();
      await other.close();
      await others.close();
    }
  });

  it('gives an address the document only so often', async () => {
    const other = await startGateway(services, { RATE_LIMIT_ADDRESS: '2' });
    const read = async (address: string) => {
      const answer = await fetch(`${other.url}/api/openapi.json`, { headers: { 'x-forwarded-for': address } });
      return answer.status;
    };
    const statuses = [];
    for (let n = 0; n < 3; n += 1) statuses.push(await read('192.0.2.1'));
    expect([...statuses, await read('192.0.2.2')]).toEqual([200, 200, 429, 200]);
    await other.close();
  });

  it('shows the document on a page whose own policy replaces that of the API', async () => {
    const page = await fetch(`${gateway.url}/api/docs`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self';");
    const bundle = await fetch(`${gateway.url}/api/docs/assets/swagger-ui-bundle.js`);
    // Read to its end: the connection of an answer that waits to be read would outlive the test.
    expect([bundle.status, (await bundle.arrayBuffer()).byteLength > 100_000]).toEqual([200, true]);
  });

  it('explains the error code that a problem names', async () => {
    const problem = (await (await fetch(`${gateway.url}/nowhere`)).json()) as { type: string };
    const page = await fetch(gateway.url + new URL(problem.type).pathname);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('NOT_FOUND')]);
    expect((await fetch(`${gateway.url}/problems/no-such-code`)).status).toBe(404);
    expect(await (await fetch(`${gateway.url}/problems`)).text()).toContain('FIELD_ACCESS_DENIED');
  });
});

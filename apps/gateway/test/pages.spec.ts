import path from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import { ROUTES } from '../src/routing/routing.js';
import { Edge, PAGE_DIR, Services, startGateway } from './harness.js';

const documentOf = (service: string) => ({
  openapi: '3.1.1',
  paths: {
    [service === 'custom-objects' ? '/api/crm/leads' : `/api/internal/${service}`]: {
      get: { responses: { default: { $ref: '#/components/schemas/Problem' } } },
    },
    ...(service === 'custom-objects' && { '/api/crm/custom': { get: { x: { $ref: '#/components/schemas/Row' } } } }),
  },
  components: { schemas: { Problem: { type: 'object' }, Row: { title: service } } },
});

const edge = Edge.shared((services) => {
  services.answer = ({ service }) => ({ body: JSON.stringify(documentOf(service)) });
  return {};
});

describe('the console', () => {
  const nonceOf = async (address: string) => {
    const answer = await edge.fetch(address);
    const policy = answer.headers.get('content-security-policy') ?? '';
    const [, nonce = ''] = /style-src 'self' 'nonce-([^']+)'/.exec(policy) ?? [];
    return { answer, policy, nonce, text: await answer.text() };
  };

  const PAGES = [
    '/',
    '/records/lead',
    '/records/site_visit/0199aa00-0000-7000-8000-000000000001',
    '/settings/workspace',
    '/account',
    '/account/authorize?request=0199aa00-0000-7000-8000-000000000001',
    '/account/sign-in',
    '/email-change',
    '/email-change/undo',
    '/invitation',
    '/password-reset',
    '/undo-link',
    '/verify-email',
  ];

  it.each(PAGES)(
    'is at %s, for nobody to frame or to keep, with a nonce for its styles and the profile',
    async (address) => {
      const heard = edge.services.received.length;
      const { answer, policy, nonce, text } = await nonceOf(address);
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
      expect(answer.headers.get('x-frame-options')).toBe('DENY');
      expect(policy).toMatch(
        /^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-[^']{20,}'; connect-src 'self';/,
      );
      expect(policy).toMatch(/frame-ancestors 'none'$/);
      expect(policy).not.toMatch(/unsafe|https?:/);
      expect(text).toContain(`<html nonce="${nonce}" data-profile="test" lang="en">`);
      expect((await nonceOf(address)).nonce).not.toBe(nonce);
      expect(edge.services.received).toHaveLength(heard);
    },
  );

  it('is found by programs that only ask whether a link works, and takes nothing by another method', async () => {
    const { status, headers } = await edge.fetch('/verify-email', { method: 'HEAD' });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const posted = await edge.fetch('/password-reset', { method: 'POST', body: '{}' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('is at no address that belongs to a service', () => {
    const below = (prefix: string) => PAGES.filter((page) => `${page}/`.startsWith(`${prefix}/`));
    expect(ROUTES.flatMap(([prefix]) => below(prefix))).toEqual([]);
  });

  it('has files that never change, and no others', async () => {
    const { status, headers } = await edge.fetch('/assets/index-1.js');
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    for (const name of ['missing.js', '..%2findex.html', 'index.html', 'constructor']) {
      const refusal = await edge.fetch(`/assets/${name}`);
      expect([refusal.status, refusal.headers.get('cache-control')]).toEqual([404, 'no-store']);
    }
    expect((await edge.fetch('/records')).status).toBe(404);
  });

  it('keeps the gateway from starting when it was not built', async () => {
    await expect(startGateway(edge.services, { CONSOLE_DIR: path.join(PAGE_DIR, 'assets') })).rejects.toThrow(
      /CONSOLE_DIR.*npm run build/,
    );
  });
});

describe('the OpenAPI document and the error pages of the gateway', () => {
  it('merges the paths of the services that the public can reach', async () => {
    const document = (await edge.call('/api/openapi.json')).json as unknown as {
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

  it('keeps the merged document for a while, and writes it once, not for each call', async () => {
    const before = edge.services.received.length;
    const stringify = jest.spyOn(JSON, 'stringify');
    const answer = await edge.fetch('/api/openapi.json');
    const written = stringify.mock.calls.filter(([value]) => Object(value).openapi !== undefined);
    stringify.mockRestore();
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(((await answer.json()) as { openapi: string }).openapi).toBe('3.1.1');
    expect([written, edge.services.received.length]).toEqual([[], before]);
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
    const other = await startGateway(edge.services, { RATE_LIMIT_ADDRESS: '2' });
    const statuses = [];
    for (const host of [1, 1, 1, 2]) {
      const headers = { 'x-forwarded-for': `192.0.2.${host}` };
      statuses.push((await fetch(`${other.url}/api/openapi.json`, { headers })).status);
    }
    expect(statuses).toEqual([200, 200, 429, 200]);
    await other.close();
  });

  it('shows the document on a page whose own policy replaces that of the API', async () => {
    const page = await edge.fetch('/api/docs');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self';");
    const bundle = await edge.fetch('/api/docs/assets/swagger-ui-bundle.js');
    // Read to its end: the connection of an answer that waits to be read would outlive the test.
    expect([bundle.status, (await bundle.arrayBuffer()).byteLength > 100_000]).toEqual([200, true]);
  });

  it('explains the error code that a problem names', async () => {
    const problem = (await edge.call('/nowhere')).json as { type: string };
    const page = await edge.call(new URL(problem.type).pathname);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('NOT_FOUND')]);
    expect((await edge.call('/problems/no-such-code')).status).toBe(404);
    expect((await edge.call('/problems')).text).toContain('FIELD_ACCESS_DENIED');
  });
});

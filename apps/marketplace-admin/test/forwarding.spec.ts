import { once } from 'node:events';
import { Agent, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { OPERATORS_PREFIX } from '@crm/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CREDENTIAL_CALLS_PER_MINUTE } from '../src/forwarding/operators-proxy.service.js';
import { ROUTES } from '../src/forwarding/routes.js';
import { OperatorsApi, tokens } from './operators-api.js';

let api: OperatorsApi;
beforeAll(async () => {
  api = await OperatorsApi.start();
});
beforeEach(() => {
  api.received.length = 0;
  api.answer = ({ service }) => ({ status: 203, headers: { 'x-device-token': 'a' }, body: { service } });
});
afterAll(() => api?.close());

const hasBody = (method: string) => method !== 'GET' && method !== 'DELETE';
const routes = ROUTES.map((route) => [route.method, route.path, route] as const);

describe.each(routes)('%s %s', (method, template, { upstream, public: isPublic }) => {
  const path = template.replace(/:\w+/g, 'x-1');
  const body = hasBody(method) ? { reason: 'ä' } : undefined;

  it('is forwarded below the internal prefix, with what the client sent', async () => {
    const {
      status,
      body: answer,
      headers,
    } = await api.service.request(method, `${path}?q=%20`, {
      ...(!isPublic && { token: api.reviewer }),
      body,
      headers: {
        'x-device-token': 'b',
        'x-forwarded-for': '203.0.113.1',
        'user-agent': 'Firefox',
        'x-user-id': 'root',
      },
    });
    expect([status, answer, headers.get('x-device-token')]).toEqual([203, { service: upstream }, 'a']);
    const [received] = api.received;
    expect(received).toMatchObject({
      service: upstream,
      method,
      url: `${OPERATORS_PREFIX}${path}?q=%20`,
      body: body === undefined ? '' : JSON.stringify(body),
      headers: {
        'x-device-token': 'b',
        // Nobody stands in front of this address that could say where a client is.
        'x-forwarded-for': '127.0.0.1',
        'user-agent': 'Firefox',
        'x-request-id': headers.get('x-request-id'),
      },
    });
    expect(received?.headers['x-user-id']).toBeUndefined();
    expect(received?.headers.authorization).toBe(isPublic ? undefined : `Bearer ${api.reviewer}`);
  });

  it('is not asked of a service without a token of an operator', async () => {
    const ofUser = await tokens.sign({ roles: ['owner'] });
    for (const token of isPublic ? [] : [undefined, ofUser, 'nonsense']) {
      const { status, headers } = await api.service.request(method, path, { ...(token && { token }), body });
      expect([status, headers.get('www-authenticate')?.includes('Bearer')]).toEqual([401, true]);
    }
    expect(api.received).toEqual([]);
  });

  it('is answered with 503 while the service does not answer', async () => {
    api.answer = () => undefined;
    const { status, headers } = await api.request(method, path, body);
    expect([status, Number(headers.get('retry-after')) > 0]).toEqual([503, true]);
  });
});

describe('what is no route', () => {
  it.each([
    ['GET', '/api/auth/login'],
    ['POST', '/api/auth/me'],
    ['PUT', '/api/admin/tenants/x-1'],
    ['GET', '/api/auth/api-keys'],
    ['GET', '/api/tenant/users'],
    ['POST', '/api/auth/register'],
    ['GET', '/audit'],
    ['GET', `${OPERATORS_PREFIX}/audit`],
    ['GET', `${OPERATORS_PREFIX}/api/auth/me`],
    ['GET', `${OPERATORS_PREFIX}/api/openapi.json`],
  ])('is not found: %s %s', async (method, path) => {
    const { status, body } = await api.request(method, path);
    expect([status, body.code, body.instance]).toEqual([404, 'NOT_FOUND', path]);
    expect(api.received).toEqual([]);
  });

  it('is decided as the service decides it, which gets the same bytes', async () => {
    const path = '/api/admin/apps/a%2fb%20%61/impact';
    expect((await api.request('GET', path)).status).toBe(203);
    expect(api.received.map(({ url }) => url)).toEqual([OPERATORS_PREFIX + path]);
  });
});

describe('calls that exchange credentials', () => {
  it.each(ROUTES.filter((route) => route.public).map(({ path }) => path))('have a short body: %s', async (path) => {
    const { status, body } = await api.request('POST', path, { x: 'x'.repeat(16 * 1024) });
    expect([status, body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  it('are limited by address in production, before anything is asked of identity', async () => {
    const limited = await OperatorsApi.start({ profile: 'production' });
    try {
      limited.answer = () => ({ status: 409, body: {} });
      const post = async (path: string, body?: object) =>
        (await limited.service.request('POST', `/api/auth/${path}`, { body })).status;
      const startedAt = performance.now();
      const statuses = await Promise.all(
        Array.from({ length: CREDENTIAL_CALLS_PER_MINUTE }, (_, index) => [
          post('refresh', { refreshToken: `guess-${index}` }),
          post('login/passkey/options'),
          post('login/passkey', { challengeId: 'c', credential: {} }),
        ]).flat(),
      );
      const minutes = (performance.now() - startedAt) / 60_000;
      const asked = limited.received.length;
      expect(new Set(statuses)).toEqual(new Set([409, 429]));
      expect(asked).toBe(statuses.filter((status) => status === 409).length);
      // The three share one limit, and the room of a call comes back with time.
      expect(asked).toBeGreaterThanOrEqual(CREDENTIAL_CALLS_PER_MINUTE);
      expect(asked).toBeLessThanOrEqual(Math.ceil(CREDENTIAL_CALLS_PER_MINUTE * (1 + minutes)));
    } finally {
      await limited.close();
    }
  });
});

describe('the API of this address', () => {
  it('is documented as one, also as a page, and lists the forwarded routes', async () => {
    const path = '/api/admin/submissions';
    api.answer = ({ service, url }) => ({
      body: {
        paths: {
          [service === 'identity' ? '/api/auth/me' : path]: { get: { tags: [service], at: url } },
          '/api/never/forwarded': { get: {} },
        },
      },
    });
    type Document = { info: { title: string }; servers: object[]; paths: Record<string, { get: { at?: string } }> };
    const { body } = await api.service.request<Document>('GET', '/api/openapi.json');
    expect([body.info.title, body.servers]).toEqual(['CRM developer platform: marketplace-admin', [{ url: '/' }]]);
    expect(Object.keys(body.paths)).toEqual(['/api/admin/audit', '/api/admin/audit/export', path, '/api/auth/me']);
    expect(body.paths[path]?.get.at).toBe(`${OPERATORS_PREFIX}/api/openapi.json`);
    const { status, headers } = await api.service.request('GET', '/api/docs');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const listed = (await (await fetch(`${api.service.operationsUrl}/routes`)).json()) as { path: string }[];
    expect(listed.map((route) => route.path)).toEqual(expect.arrayContaining(ROUTES.map((route) => route.path)));
  });
});

const MEBIBYTE = 1024 * 1024;
const agent = new Agent({ keepAlive: true });

/** Announces a body and sends none of it. @returns the answer, which came without it */
async function announce(method: string, path: string, headers: OutgoingHttpHeaders) {
  const call = request(new URL(path, api.service.url), {
    agent,
    method,
    headers: { 'content-type': 'application/json', ...headers },
  });
  call.flushHeaders();
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  let text = '';
  for await (const piece of answer) text += piece;
  call.destroy();
  const { code } = JSON.parse(text) as { code: string };
  return { status: answer.statusCode, connection: answer.headers.connection, code };
}

describe('a body without a token that counts', () => {
  const withBody = async () => {
    const served = await fetch(`${api.service.operationsUrl}/routes`);
    const all = (await served.json()) as { method: string; path: string; public: boolean }[];
    return all.filter((route) => !route.public && /^(POST|PUT|PATCH|DELETE)$/.test(route.method));
  };
  afterAll(() => agent.destroy());

  it('is not read, by any route', async () => {
    const listed = await withBody();
    expect(listed.length).toBeGreaterThan(10);
    for (const { method, path } of listed) {
      for (const length of [{ 'content-length': MEBIBYTE }, { 'transfer-encoding': 'chunked' }]) {
        expect([method, path, await announce(method, path, length)]).toEqual([
          method,
          path,
          { status: 401, connection: 'close', code: 'UNAUTHENTICATED' },
        ]);
      }
    }
  });

  it('is not read with a token that is none, or of another audience', async () => {
    for (const token of ['x', await tokens.sign({ roles: ['owner'] })]) {
      const headers = { 'content-length': MEBIBYTE, authorization: `Bearer ${token}` };
      const { status, connection } = await announce('PATCH', '/api/admin/tenants/x', headers);
      expect([status, connection]).toEqual([401, 'close']);
    }
  });

  it('is not read where there is no route', async () => {
    const answer = await announce('POST', '/api/admin/nothing', { 'content-length': MEBIBYTE });
    expect(answer).toEqual({ status: 404, connection: 'close', code: 'NOT_FOUND' });
  });

  it('costs a short one no connection', async () => {
    const short = request(new URL('/api/admin/apps/fleet/suspend', api.service.url), {
      agent,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    });
    short.end('{"reason":"x"}');
    const [answer] = (await once(short, 'response')) as [IncomingMessage];
    answer.resume();
    expect([answer.statusCode, answer.headers.connection]).toEqual([401, 'keep-alive']);
  });

  it('is read with a token that counts', async () => {
    api.answer = () => ({ status: 404, body: {} });
    const post = (reason: string) => api.request('POST', '/api/admin/apps/fleet/suspend', { reason });
    expect((await post('x'.repeat(2000))).status).toBe(404);
    expect(api.received).toHaveLength(1);
    const refused = await post('x'.repeat(MEBIBYTE));
    expect([refused.status, refused.body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(api.received).toHaveLength(1);
  });
});

import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { waitUntil } from '@crm/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Call, Edge, startGateway, TENANT, tokenOf } from './harness.js';

const LIST = JSON.stringify({ data: Array.from({ length: 300 }, (_, n) => ({ id: n, lastName: `Lovelace ${n} ä` })) });
const LONG = JSON.stringify({ data: Array.from({ length: 600 }, (_, n) => ({ id: n, note: 'x'.repeat(200) })) });

const edge = Edge.shared(() => ({ UPSTREAM_TIMEOUT_MS: '500' }));
beforeEach(() => {
  edge.services.received.length = 0;
  edge.services.answer = ({ service }) => ({ body: JSON.stringify({ service }) });
});

const call = (method: string, path: string, options?: Call) => edge.call(path, { ...options, method });

describe('the routing of the gateway', () => {
  it.each([
    ...['/.well-known/jwks.json', '/api/auth/login', '/api/auth/sessions', '/api/tenant/users', '/api/tenant'].map(
      (path) => [path, 'identity'],
    ),
    ...['custom', 'custom/sbx_policy/records/1', 'leads', 'contacts/1', 'companies', 'opportunities', 'tasks'].map(
      (path) => [`/api/crm/${path}`, 'custom-objects'],
    ),
    ['/api/crm/automations/runs', 'automation-hooks'],
    ...['apps', 'developer/apps/acme/webhook-secret', 'developer/apps/listen', 'developer/apps/acme/listen/x'].map(
      (path) => [`/api/marketplace/${path}`, 'marketplace-certification'],
    ),
    ['/api/marketplace/developer/apps/acme/listen', 'webhook-dispatcher'],
    ['/api/marketplace/developer/apps/acme/trigger', 'webhook-dispatcher'],
    ['/api/webhooks/deliveries', 'webhook-dispatcher'],
  ])('sends %s to %s', async (path, service) => {
    expect((await call('GET', `${path}?q=a%20b&x=1`)).json).toEqual({ service });
    expect(edge.services.last.url).toBe(`${path}?q=a%20b&x=1`);
  });

  it.each([
    ...['/nowhere', '/api', '/api/crm', '/api/crm/customers', '/api/crm/leadsx', '/api/authx/login'],
    ...['/api/auth/v1/embed/sessions', '/api/auth/v1', '/API/crm/leads'],
  ])('answers 404 for %s, which no service has', async (path) => {
    const answer = await call('GET', path);
    expect([answer.status, answer.code]).toEqual([404, 'NOT_FOUND']);
    expect(edge.services.received).toEqual([]);
  });

  it.each([
    ...['/api/crm/%6Ceads', '/api/%61uth/login', '/api/auth/%6cogin', '/api/crm/leads/../automations/hooks/w/s'],
    ...['/api/crm/leads/..', '/api/crm/leads/./1', '/api/crm//leads', '//api/crm/leads', '/api/crm/leads//1'],
    ...['/api/crm/leads/%2e%2e/custom', '/api/crm/leads/.%2E/custom', '/api/crm/leads/..%2fcustom'],
    ...['/api/crm/leads%2f1', '/api/crm/leads/%5c..%5ccustom', '/api/crm/leads\\..\\custom'],
    ...['/api/crm/leads/%252e%252e/custom', '/api/crm/leads/%00', '/api/crm/leads/a%0d%0aX:1'],
    ...['/api/crm/leads/..;/custom', '/api/auth/x/../v1/embed/sessions'],
  ])('does not forward the ambiguous path %s', async (path) => {
    const answer = await edge.raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 40[04] /);
    expect(edge.services.received).toEqual([]);
  });

  it('does not echo a request to TRACE', async () => {
    const head = 'Host: x\r\nAuthorization: Bearer token-in-the-request\r\nConnection: close\r\n\r\n';
    for (const path of ['/api/crm/leads', '/nowhere', '/account']) {
      const answer = await edge.raw(`TRACE ${path} HTTP/1.1\r\n${head}`);
      expect(answer).toMatch(/^HTTP\/1\.1 40[045]/);
      expect(answer).not.toContain('token-in-the-request');
    }
    expect(edge.services.received).toEqual([]);
  });

  it('does not forward to an address in the request line', async () => {
    const target = `${edge.services.urls.identity}/api/crm/leads`;
    const answer = await edge.raw(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 40[04]/);
    expect(edge.services.received).toEqual([]);
  });
});

describe('the forwarding of the gateway', () => {
  it('passes on method, body, status and headers', async () => {
    edge.services.answer = () => ({
      status: 201,
      headers: { etag: '"3"', location: '/api/crm/leads/1', 'set-cookie': 'a=b', 'x-powered-by': 'x' },
      body: '{"id":"1"}',
    });
    const body = '{ "lastName" :"Ä" }';
    const headers = { 'content-type': 'application/json', 'if-match': '"2"', 'idempotency-key': 'k' };
    const answer = await call('PATCH', '/api/crm/leads/1', { body, headers });
    expect([answer.status, answer.text]).toEqual([201, '{"id":"1"}']);
    expect(edge.services.last).toMatchObject({ method: 'PATCH', body, headers });
    expect(answer.headers.get('etag')).toBe('"3"');
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(answer.headers.get('x-powered-by')).toBeNull();
  });

  it('passes on the cookies of identity, each on its addresses alone, and no other cookie', async () => {
    const cookie = '__Host-crm-sign-in=abc';
    const headers = { cookie: `a=b; ${cookie}; session=c` };
    edge.services.answer = () => ({ headers: { 'set-cookie': `${cookie}; Path=/; Secure` } });
    const answer = await call('POST', '/api/auth/oidc/exchange', { headers });
    expect(edge.services.last.headers.cookie).toBe(cookie);
    expect(answer.headers.get('set-cookie')).toBe(`${cookie}; Path=/; Secure`);
    const stepUp = await call('POST', '/api/auth/step-up/oidc/x', { headers });
    const passed = [edge.services.last.headers.cookie, stepUp.headers.get('set-cookie')];
    expect(passed).toEqual([cookie, `${cookie}; Path=/; Secure`]);
    for (const path of ['/api/auth/login', '/api/auth/step-up']) {
      expect((await call('POST', path, { headers })).headers.get('set-cookie')).toBeNull();
      expect(edge.services.last.headers.cookie).toBeUndefined();
    }
    const session = '__Host-crm-session=abc';
    edge.services.answer = () => ({ headers: { 'set-cookie': session } });
    const page = await call('POST', '/api/auth/session/refresh', { headers: { cookie: `${cookie}; ${session}` } });
    expect([edge.services.last.headers.cookie, page.headers.get('set-cookie')]).toEqual([session, session]);
    edge.services.answer = () => ({ headers: { 'set-cookie': 'other=1; Path=/' } });
    expect((await call('POST', '/api/auth/oidc/exchange')).headers.get('set-cookie')).toBeNull();
    expect(edge.services.last.headers.cookie).toBeUndefined();
  });

  it('passes on a body that is not JSON, for the service to refuse, and calls without a body', async () => {
    await call('POST', '/api/crm/leads', { body: 'a=b', headers: { 'content-type': 'text/csv' } });
    expect(edge.services.last).toMatchObject({ body: 'a=b', headers: { 'content-type': 'text/csv' } });
    for (const method of ['POST', 'DELETE', 'PUT', 'HEAD']) {
      expect((await call(method, '/api/crm/leads/1')).status).toBe(200);
      expect(edge.services.last).toMatchObject({ method, body: '' });
    }
  });

  it('strips headers that claim an identity or an origin, and sets those that say where a call is from', async () => {
    const claims = {
      'X-User-Id': 'u-2',
      'X-User_Id': 'u-2',
      'X-Tenant-Id': 't-2',
      'X-Principal': 'root',
      'X-Forwarded-User': 'root',
      'X-Forwarded-Host': 'evil.test',
      'X-Original-URL': '/api/admin',
      'X-Real-Ip': '1.1.1.1',
      Forwarded: 'for=1.1.1.1',
      Cookie: 'a=b',
      TE: 'trailers',
      Upgrade: 'h2c',
    };
    const lines = Object.entries(claims).map(([name, value]) => `${name}: ${value}\r\n`);
    const rest = `${lines.join('')}X-Hop: 1\r\nConnection: close, X-Hop\r\n\r\n`;
    await edge.raw(`GET /api/crm/leads HTTP/1.1\r\nHost: crm.test\r\n${rest}`);
    const { headers } = edge.services.last;
    const kept = ['connection', 'host', 'traceparent', 'x-request-id'];
    const set = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'];
    expect(Object.keys(headers).sort()).toEqual([...kept, ...set].sort());
    expect(headers).toMatchObject({ 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'http' });
    expect(JSON.stringify(headers)).not.toMatch(/evil|1\.1\.1\.1|u-2|t-2|root/);
  });

  it('passes on the trace and a request id of its own, and echoes that of the client', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const answer = await call('GET', '/api/crm/leads', { headers: { 'x-request-id': 'r-1', traceparent } });
    expect(answer.headers.get('x-request-id')).toBe('r-1');
    expect(edge.services.last.headers['x-request-id']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(JSON.stringify(edge.services.last.headers)).not.toContain('r-1');
    const continued = /^00-4bf92f3577b34da6a3ce929d0e0e4736-(?!00f067aa0ba902b7)/;
    expect(edge.services.last.headers.traceparent).toMatch(continued);
  });

  it('answers 503 with Retry-After when a service does not answer in time', async () => {
    edge.services.answer = () => 'never';
    const answer = await call('POST', '/api/crm/leads');
    expect([answer.status, answer.code]).toEqual([503, 'DEADLINE_EXCEEDED']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('passes on 503 with its Retry-After, also of no time at all, and does not repeat the call', async () => {
    edge.services.answer = () => ({ status: 503, headers: { 'retry-after': '0' } });
    for (const method of ['GET', 'POST']) {
      edge.services.received.length = 0;
      const answer = await call(method, '/api/crm/leads');
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '0']);
      expect(edge.services.received).toHaveLength(1);
    }
  });

  it('answers 503 with Retry-After when a service is down', async () => {
    const front = await startGateway(edge.services, { CUSTOM_OBJECTS_URL: 'http://127.0.0.1:1' });
    const answer = await fetch(`${front.url}/api/crm/leads`);
    const problem = { code: 'SERVICE_UNAVAILABLE', instance: '/api/crm/leads' };
    expect([answer.status, await answer.json()]).toMatchObject([503, problem]);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    await front.close();
  });
});

it('the gateway answers calls that wait at once when it begins to drain, with nothing and the cursor that they brought', async () => {
  const { services } = edge;
  services.answer = () => 'never';
  const front = await startGateway(services, { DRAIN_SECONDS: '2' });
  const listen = (query: string) => fetch(`${front.url}/api/marketplace/developer/apps/acme/listen${query}`);
  const waiting = ['?cursor=a%2Bb&events=lead.*', '?wait=20&cursor=c'].map(listen);
  // It begins a session, does not wait, and has no cursor that the gateway could know.
  const other = listen('').then(
    () => 'answered',
    () => 'cut off',
  );
  await waitUntil(() => services.received.length === 3);
  const closing = front.close();
  const answers = await Promise.all(waiting);
  expect(await Promise.race([other, 'under way'])).toBe('under way');
  const shown = answers.map(async (one) => [one.status, one.headers.get('connection'), await one.json()]);
  expect(await Promise.all(shown)).toEqual([
    [200, 'close', { data: [], cursor: 'a+b' }],
    [200, 'close', { data: [], cursor: 'c' }],
  ]);
  await closing;
  expect(await other).toBe('cut off');
});

describe('the gateway with tokens', () => {
  const withToken = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

  it('lets requests with a valid token and without a token through, for the service to decide', async () => {
    const token = await tokenOf();
    expect((await call('GET', '/api/crm/leads', withToken(token))).status).toBe(200);
    expect(edge.services.last.headers.authorization).toBe(`Bearer ${token}`);
    expect((await call('GET', '/api/crm/leads')).status).toBe(200);
  });

  it('refuses an invalid token', async () => {
    const token = await tokenOf();
    for (const bad of [`${token.slice(0, -4)}AAAA`, 'a.b.c', '', await tokenOf({ tid: 'x' })]) {
      const answer = await call('GET', '/api/crm/leads', withToken(bad));
      expect([answer.status, answer.code]).toEqual([401, 'UNAUTHENTICATED']);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="crm", error="invalid_token"');
    }
    const expired = await tokenOf({ exp: Math.floor(Date.now() / 1000) - 60 });
    expect((await call('GET', '/api/crm/leads', withToken(expired))).code).toBe('TOKEN_EXPIRED');
    expect(edge.services.received).toEqual([]);
  });

  it('ignores an expired token on a call that exchanges credentials', async () => {
    const expired = await tokenOf({ exp: Math.floor(Date.now() / 1000) - 60 });
    expect((await call('POST', '/api/auth/refresh', withToken(expired))).status).toBe(200);
  });

  it('leaves other authentication schemes to the service', async () => {
    await call('POST', '/api/auth/oauth/token', { headers: { authorization: 'Basic YTpi' } });
    expect(edge.services.last.headers.authorization).toBe('Basic YTpi');
  });
});

it('the gateway sends security headers with every answer', async () => {
  for (const path of ['/api/crm/leads', '/nowhere', '/api/openapi.json']) {
    const { headers } = await call('GET', path);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(headers.get('x-frame-options')).toBe('DENY');
  }
});

it('the gateway lets nobody store an answer, unless the service says for how long', async () => {
  const stored = async (path: string) => (await call('GET', path)).headers.get('cache-control');
  expect(await stored('/api/crm/leads/1')).toBe('no-store');
  expect(await stored('/api/tenant/users')).toBe('no-store');
  expect(await stored('/nowhere')).toBe('no-store');
  edge.services.answer = () => ({ headers: { 'cache-control': 'public, max-age=300' }, body: '{}' });
  expect(await stored('/.well-known/jwks.json')).toBe('public, max-age=300');
});

it('the gateway labels metrics with the prefix of a route, not with the path', async () => {
  await call('POST', `/api/crm/automations/hooks/${TENANT}/5ecre7`);
  const metrics = await (await fetch(`${edge.gateway.operationsUrl}/metrics`)).text();
  expect(metrics).toContain('route="/api/crm/automations/*"');
  expect(metrics).not.toContain('5ecre7');
});

describe('answers of the gateway', () => {
  beforeEach(() => {
    edge.services.answer = ({ url }) => ({ body: url.includes('long') ? LONG : LIST });
  });

  /** Node's own client, which decodes nothing. */
  const get = async (path: string, encoding?: string) => {
    const headers = { connection: 'close', ...(encoding && { 'accept-encoding': encoding }) };
    const sent = request(edge.gateway.url + path, { headers }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { headers: response.headers, body: await buffer(response) };
  };

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

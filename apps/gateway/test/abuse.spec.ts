import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { waitUntil } from '@crm/testing';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Edge, startGateway, TENANT, tokenOf } from './harness.js';

const MEBIBYTE = 1024 * 1024;
const ATTACKER = '192.0.2.1';

const edge = Edge.single();
const sockets: Socket[] = [];
const dropSockets = () => {
  for (const socket of sockets.splice(0)) socket.destroy();
};
afterEach(dropSockets);

describe('invalid tokens', () => {
  const forged = async (n: number) => `Bearer ${(await tokenOf({ sub: `u-${n}` })).slice(0, -4)}AAAA`;
  const from = (address: string, authorization: string) =>
    edge.call('/api/crm/leads', { headers: { authorization, 'x-forwarded-for': address } });

  it('count against their address before a signature is checked', async () => {
    await edge.start({ RATE_LIMIT_ADDRESS: '3' });
    for (const n of [1, 2]) expect((await from(ATTACKER, await forged(n))).code).toBe('UNAUTHENTICATED');
    expect((await from(ATTACKER, 'Bearer not/a/token')).code).toBe('UNAUTHENTICATED');
    const refused = await from(ATTACKER, await forged(3));
    expect([refused.status, refused.code]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await from('192.0.2.2', await forged(4))).code).toBe('UNAUTHENTICATED');
    expect(edge.services.received).toEqual([]);
  });

  it('count when they have expired, and valid ones never do', async () => {
    await edge.start({ RATE_LIMIT_ADDRESS: '2' });
    for (let n = 0; n < 6; n += 1) {
      const valid = `Bearer ${await tokenOf({ sub: `u-${n}` })}`;
      expect((await from(ATTACKER, valid)).status).toBe(200);
      expect((await from(ATTACKER, valid)).status).toBe(200);
    }
    const expired = `Bearer ${await tokenOf({ exp: Math.floor(Date.now() / 1000) - 60 })}`;
    const codes = [];
    for (let n = 0; n < 3; n += 1) codes.push((await from(ATTACKER, expired)).code);
    expect(codes).toEqual(['TOKEN_EXPIRED', 'TOKEN_EXPIRED', 'RATE_LIMITED']);
  });
});

describe('bodies on their way', () => {
  /** Announces a body and sends none of it. */
  const announce = async (length: number, headers: Record<string, string>, path = '/api/crm/leads') => {
    const { hostname, port } = new URL(edge.gateway.url);
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    socket.on('error', () => undefined);
    const lines = Object.entries({ host: 'x', 'content-length': String(length), ...headers });
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    socket.write(`POST ${path} HTTP/1.1\r\n${head}\r\n`);
    return socket;
  };
  const held = (sender: string, bytes: number) =>
    waitUntil(async () => (await edge.metric(`gateway_body_bytes{sender="${sender}"`)) === bytes);
  const post = (headers: Record<string, string>, body = 'x'.repeat(1000)) =>
    edge.call('/api/crm/leads', { method: 'POST', headers: { 'content-type': 'text/plain', ...headers }, body });

  it('of one tenant are bounded, those of the others go on, and the budget comes back', async () => {
    await edge.start({ BODY_BYTES_TENANT: String(2 * MEBIBYTE), BODY_BYTES: String(3 * MEBIBYTE) });
    const authorization = `Bearer ${await tokenOf()}`;
    const other = `Bearer ${await tokenOf({ tid: '0199aa00-0000-7000-8000-000000000002', sub: 'u-2' })}`;
    await announce(MEBIBYTE, { authorization });
    await announce(MEBIBYTE, { authorization });
    await held('tenant', 2 * MEBIBYTE);
    const refused = await post({ authorization });
    expect([refused.status, refused.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect((await edge.call('/api/crm/leads', { headers: { authorization } })).status).toBe(200);
    expect((await post({ authorization: other })).status).toBe(200);
    await announce(MEBIBYTE, { authorization: other });
    await held('tenant', 3 * MEBIBYTE);
    // All tenants together.
    expect((await post({ authorization: other })).status).toBe(503);
    dropSockets();
    await held('tenant', 0);
    expect((await post({ authorization })).status).toBe(200);
    expect(await edge.metric('gateway_bodies_refused_total{sender="tenant"')).toBe(2);
  });

  const LOGIN = '/api/auth/login';
  const HOOK = `/api/crm/automations/hooks/${TENANT}/s`;
  const NEIGHBOUR = { 'x-forwarded-for': '192.0.2.99', 'content-type': 'application/json' };
  const send = (path: string) => edge.call(path, { method: 'POST', headers: NEIGHBOUR, body: 'x'.repeat(1000) });
  /** Uses up a budget of the smallest size. */
  const fill = async (sender: string, path: string, bytes: number) => {
    const connections = MEBIBYTE / 4 / bytes;
    for (let n = 0; n < connections; n += 1) await announce(bytes, { 'x-forwarded-for': `198.51.100.${n % 4}` }, path);
    await held(sender, MEBIBYTE / 4);
  };
  const SMALLEST = { BODY_BYTES_ADDRESS: String(MEBIBYTE), BODY_BYTES_ADDRESSES: String(MEBIBYTE) };

  it('of senders without a token use no budget of tenants, credentials and hooks', async () => {
    await edge.start(SMALLEST);
    await fill('address', '/api/crm/leads', 16 * 1024);
    expect((await send('/api/crm/leads')).status).toBe(503);
    for (const path of [LOGIN, '/api/auth/refresh', HOOK])
      expect([path, (await send(path)).status]).toEqual([path, 200]);
    expect((await post({ authorization: `Bearer ${await tokenOf()}` })).status).toBe(200);
  });

  it('of hooks and of credentials leave budget to each other', async () => {
    await edge.start(SMALLEST);
    await fill('credentials', LOGIN, 16 * 1024);
    expect([(await send(LOGIN)).status, (await send(HOOK)).status]).toEqual([503, 200]);
    for (const n of [1, 2, 3, 4]) await announce(256 * 1024, { 'x-forwarded-for': `203.0.113.${n}` }, HOOK);
    await held('hook', MEBIBYTE);
    expect((await send(HOOK)).status).toBe(503);
    dropSockets();
    await held('credentials', 0);
    expect((await send(LOGIN)).status).toBe(200);
  });

  it('that do not arrive in time are refused, and their budget comes back', async () => {
    await edge.start();
    const socket = await announce(16 * 1024, { 'x-forwarded-for': ATTACKER, 'content-type': 'text/plain' }, LOGIN);
    socket.write('x');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 408 [\s\S]*connection: close[\s\S]*"code":"REQUEST_TIMEOUT"/i);
    await once(socket, 'close');
    expect(await edge.metric('gateway_body_bytes{sender="credentials"')).toBe(0);
    expect(edge.services.received).toEqual([]);
  });

  it('are as long as calls of their kind need', async () => {
    await edge.start();
    const token = { authorization: `Bearer ${await tokenOf()}` };
    for (const [path, bytes, status, headers] of [
      [LOGIN, 16 * 1024, 200],
      [LOGIN, 16 * 1024 + 1, 413],
      [HOOK, 256 * 1024, 200],
      [HOOK, 256 * 1024 + 1, 413],
      ['/api/crm/leads', 16 * 1024, 200],
      // Longer ones need a token.
      ['/api/crm/leads', 16 * 1024 + 1, 413],
      ['/api/crm/leads', MEBIBYTE, 200, token],
      ['/api/auth/me', 16 * 1024 + 1, 413],
      ['/api/auth/me', MEBIBYTE, 200, token],
    ] as const) {
      const before = edge.services.received.length;
      const sent = { 'content-type': 'application/json', ...headers };
      const answer = await edge.call(path, { method: 'POST', headers: sent, body: 'x'.repeat(bytes) });
      expect([path, bytes, answer.status]).toEqual([path, bytes, status]);
      expect(edge.services.received.length - before).toBe(status === 200 ? 1 : 0);
    }
  });

  it('without a length are refused where they get too long, and sooner without a token', async () => {
    await edge.start();
    const stream = async (bytes: number, headers: Record<string, string>) => {
      const body = new Blob(['x'.repeat(bytes)]).stream();
      const init = { method: 'POST', headers: { 'content-type': 'text/plain', ...headers }, body, duplex: 'half' };
      return (await edge.fetch('/api/crm/leads', init as RequestInit)).status;
    };
    expect(await stream(16 * 1024, {})).toBe(200);
    expect(await stream(16 * 1024 + 1, {})).toBe(413);
    // Also one that has not come to its end.
    const head = 'POST /api/crm/leads HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked';
    const chunk = `${(17 * 1024).toString(16)}\r\n${'x'.repeat(17 * 1024)}\r\n`;
    expect(await edge.raw(`${head}\r\n\r\n${chunk}`)).toMatch(/^HTTP\/1\.1 413 [\s\S]*connection: close/i);
    expect(edge.services.received.length).toBe(1);
    expect(await stream(16 * 1024 + 1, { authorization: `Bearer ${await tokenOf()}` })).toBe(200);
  });
});

describe('a service that does not answer', () => {
  it('gets no more calls for a while, callers are told at once, and it comes back by itself', async () => {
    await edge.start({ UPSTREAM_TIMEOUT_MS: '100' });
    edge.services.answer = ({ service }) => (service === 'identity' ? 'never' : {});
    for (let n = 0; n < 5; n += 1) expect((await edge.call('/api/auth/me')).code).toBe('DEADLINE_EXCEEDED');
    const received = edge.services.received.length;
    const refused = await edge.call('/api/auth/me');
    const answer = [refused.status, refused.code, refused.headers.get('retry-after')];
    expect(answer).toEqual([503, 'SERVICE_UNAVAILABLE', '1']);
    expect(edge.services.received.length).toBe(received);
    expect(await edge.metric('gateway_upstream_open{upstream="identity"')).toBe(1);
    expect((await edge.call('/api/crm/leads')).status).toBe(200);
    edge.services.answer = () => ({});
    while ((await edge.call('/api/auth/me')).status !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await edge.metric('gateway_upstream_open{upstream="identity"')).toBe(0);
  });

  it('is not one that refuses', async () => {
    await edge.start();
    edge.services.answer = () => ({ status: 503 });
    for (let n = 0; n < 8; n += 1) await edge.call('/api/crm/leads');
    expect(edge.services.received.length).toBe(8);
  });
});

describe('pages of other origins', () => {
  const preflight = async (origin: string) => {
    const headers = { origin, 'access-control-request-method': 'POST' };
    const { status, headers: answer } = await edge.fetch('/api/crm/leads', { method: 'OPTIONS', headers });
    return [status, answer.get('access-control-allow-origin'), answer.get('access-control-allow-credentials')];
  };

  it('may call the API if they are listed or the embed page is theirs, and without cookies', async () => {
    await edge.start({ CORS_ORIGINS: 'https://app.example.com, http://127.0.0.1:5173' });
    for (const origin of ['https://app.example.com', 'http://127.0.0.1:5173', 'http://127.0.0.1:8081']) {
      expect(await preflight(origin)).toEqual([204, origin, null]);
    }
    for (const origin of ['https://app.example.com.evil.test', 'http://app.example.com', 'null']) {
      expect(await preflight(origin)).toEqual([405, null, null]);
    }
    const answer = await edge.call('/api/crm/leads', { headers: { origin: 'https://app.example.com' } });
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
    expect(answer.headers.get('vary')).toContain('origin');
  });

  it.each(['*', 'https://app.example.com/', 'app.example.com', 'https://a.test,ftp://b.test'])(
    'are not listed as %s',
    async (origins) => {
      const started = startGateway(edge.services, { CORS_ORIGINS: origins });
      await expect(started).rejects.toThrow('CORS_ORIGINS must be origins');
      await edge.start();
    },
  );
});

describe('the limits of the gateway', () => {
  const call = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    edge.call(path, { method, headers });
  const bearer = async (claims: Parameters<typeof tokenOf>[0] = {}) => ({
    authorization: `Bearer ${await tokenOf(claims)}`,
  });

  it('count a principal over all of its tokens, and say what is left', async () => {
    await edge.start({ RATE_LIMIT_PRINCIPAL: '2' });
    const first = await call('/api/crm/leads', await bearer());
    expect(first.headers.get('ratelimit-policy')).toBe('"principal";q=2;w=60, "tenant";q=12000;w=60');
    expect(first.headers.get('ratelimit')).toBe('"principal";r=1;t=30');
    await call('/api/crm/leads', await bearer());
    const refused = await call('/api/crm/tasks', await bearer());
    expect([refused.status, refused.code]).toEqual([429, 'RATE_LIMITED']);
    // Two a minute are one in half of it.
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(25);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(30);
    expect(refused.headers.get('ratelimit')).toBe(`"principal";r=0;t=${refused.headers.get('retry-after')}`);
    expect(edge.services.received.length).toBe(2);
    expect((await call('/api/crm/leads', await bearer({ sub: 'u-2' }))).status).toBe(200);
  });

  it('give an installed app a rate and a burst of its own', async () => {
    await edge.start({ RATE_LIMIT_APP: '6000', RATE_LIMIT_APP_BURST: '3', RATE_LIMIT_PRINCIPAL: '1' });
    const first = await call('/api/crm/leads', await bearer({ sub: TENANT, roles: ['app:acme-sync'] }));
    expect(first.headers.get('ratelimit-policy')).toBe('"app";q=3;w=1, "tenant";q=12000;w=60');
  });

  it('count sign-ins from loopback only when they fail, outside production', async () => {
    await edge.start({ RATE_LIMIT_ADDRESS: '3' });
    const signIn = () => call('/api/auth/login', {}, 'POST');
    for (let attempt = 0; attempt < 10; attempt += 1) expect((await signIn()).status).toBe(200);
    edge.services.answer = () => ({ status: 401 });
    for (let attempt = 0; attempt < 3; attempt += 1) expect((await signIn()).status).toBe(401);
    expect((await signIn()).status).toBe(429);
  });

  it.each(['/api/auth/login', '/api/auth/password-resets/complete', '/api/auth/mfa/verify', '/api/auth/oauth/token'])(
    'refuse the caller of %s before a body that is too long, and nobody misses the refusal',
    async (path) => {
      await edge.start({ RATE_LIMIT_ADDRESS: '2' });
      edge.services.answer = () => ({ status: 401 });
      const unhandled: unknown[] = [];
      const onUnhandled = (reason: unknown) => unhandled.push(reason);
      process.on('unhandledRejection', onUnhandled);
      const send = async (bytes: number) => (await edge.call(path, { method: 'POST', body: 'x'.repeat(bytes) })).status;
      expect([await send(9), await send(9), await send(9), await send(100_000)]).toEqual([401, 401, 429, 429]);
      // A rejection is told after the turn in which it was made.
      await new Promise((resolve) => setImmediate(resolve));
      process.off('unhandledRejection', onUnhandled);
      expect(unhandled).toEqual([]);
    },
  );

  it('leave the limit headers of a service that refuses unchanged', async () => {
    await edge.start({});
    const headers = { 'retry-after': '7', 'ratelimit-policy': '"sign-in-account";q=10;w=900' };
    const ratelimit = '"sign-in-account";r=0;t=7';
    edge.services.answer = () => ({ status: 429, headers: { ...headers, ratelimit } });
    const refused = await call('/api/auth/login', { 'x-forwarded-for': '192.0.2.1' }, 'POST');
    expect(refused.status).toBe(429);
    for (const [name, value] of Object.entries({ ...headers, ratelimit }))
      expect(refused.headers.get(name)).toBe(value);
  });

  it('count the principals of a tenant together', async () => {
    await edge.start({ RATE_LIMIT_TENANT: '2' });
    await call('/api/crm/leads', await bearer({ sub: 'u-1' }));
    await call('/api/crm/leads', await bearer({ sub: 'u-2' }));
    expect((await call('/api/crm/leads', await bearer({ sub: 'u-3' }))).status).toBe(429);
    const other = await bearer({ tid: '0199aa00-0000-7000-8000-000000000002' });
    expect((await call('/api/crm/leads', other)).status).toBe(200);
  });

  const HOOK = '/api/crm/automations/hooks';
  it.each([
    ['a request without a token by its address', 'ADDRESS', 'GET', '/api/marketplace/apps'],
    ['a sign-in from another address', 'ADDRESS', 'POST', '/api/auth/login'],
    ['a call of a hook for each address, so that nobody shuts it from elsewhere', 'HOOK', 'POST', `${HOOK}/w-1/s`],
  ])('count %s', async (_what, limit, method, path) => {
    await edge.start({ [`RATE_LIMIT_${limit}`]: '2' });
    const statuses = async (...addresses: string[]) => {
      const found = [];
      for (const address of addresses) found.push((await call(path, { 'x-forwarded-for': address }, method)).status);
      return found;
    };
    expect(await statuses(ATTACKER, ATTACKER, ATTACKER, '192.0.2.2')).toEqual([200, 200, 429, 200]);
    // The addresses of one IPv6 customer count as one.
    expect(await statuses('2001:db8:1:2::1', '2001:db8:1:2::2', '2001:db8:1:2:ffff::3')).toEqual([200, 200, 429]);
  });

  it('count calls of a hook by its id, whatever the secret', async () => {
    await edge.start({ RATE_LIMIT_HOOK: '2' });
    const statuses = [];
    for (const hook of ['w-1/a', 'w-1/b', 'w-1/c', 'w-2/a']) {
      statuses.push((await call(`${HOOK}/${hook}`, {}, 'POST')).status);
    }
    expect(statuses).toEqual([200, 200, 429, 200]);
  });

  it('ignore the X-Forwarded-For of a client that is not a trusted proxy', async () => {
    await edge.start({ RATE_LIMIT_ADDRESS: '1', TRUSTED_PROXIES: '192.0.2.200' });
    expect((await call('/api/marketplace/apps', { 'x-forwarded-for': '192.0.2.1' })).status).toBe(200);
    expect((await call('/api/marketplace/apps', { 'x-forwarded-for': '192.0.2.2' })).status).toBe(429);
  });
});

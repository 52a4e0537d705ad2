import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { RunningService } from '@crm/runtime';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { generateKeyPair, SignJWT } from 'jose';
import { Services, startGateway, TENANT, tokenOf } from './harness.js';

const MEBIBYTE = 1024 * 1024;
const ATTACKER = '192.0.2.1';

let services: Services;
let gateway: RunningService;
const sockets: Socket[] = [];

beforeEach(async () => {
  services = await Services.start();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await gateway.close();
  await services.close();
});

const start = async (environment: Record<string, string> = {}) => {
  gateway = await startGateway(services, environment);
};
const call = async (path: string, headers: Record<string, string> = {}, init: RequestInit = {}) => {
  const response = await fetch(gateway.url + path, { ...init, headers });
  const body = (await response.json()) as { code?: string };
  return { status: response.status, code: body.code, headers: response.headers };
};
const metric = async (name: string): Promise<number> => {
  const text = await (await fetch(`${gateway.operationsUrl}/metrics`)).text();
  return Number(new RegExp(`^${name.replace(/[{}"]/g, '\\$&')}\\S* (\\S+)$`, 'm').exec(text)?.[1]);
};

describe('invalid tokens', () => {
  const forged = async (n: number) => {
    const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
    const token = new SignJWT({ n }).setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid: 'k' });
    return `Bearer ${await token.setIssuer('http://127.0.0.1:8080').setExpirationTime('15m').sign(privateKey)}`;
  };
  const from = (address: string, authorization: string) =>
    call('/api/crm/leads', { authorization, 'x-forwarded-for': address });

  it('count against their address before a signature is checked', async () => {
    await start({ RATE_LIMIT_ADDRESS: '3' });
    for (const n of [1, 2]) expect((await from(ATTACKER, await forged(n))).code).toBe('UNAUTHENTICATED');
    expect((await from(ATTACKER, 'Bearer not/a/token')).code).toBe('UNAUTHENTICATED');
    const refused = await from(ATTACKER, await forged(3));
    expect([refused.status, refused.code]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await from('192.0.2.2', await forged(4))).code).toBe('UNAUTHENTICATED');
    expect(services.received).toEqual([]);
  });

  it('count when they have expired, and valid ones never do', async () => {
    await start({ RATE_LIMIT_ADDRESS: '2' });
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
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    socket.on('error', () => undefined);
    const lines = Object.entries({ host: 'x', 'content-length': String(length), ...headers });
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    socket.write(`POST ${path} HTTP/1.1\r\n${head}\r\n`);
    return socket;
  };
  const until = async (condition: () => Promise<boolean>) => {
    while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  const post = (headers: Record<string, string>, body = 'x'.repeat(1000)) =>
    call('/api/crm/leads', { 'content-type': 'text/plain', ...headers }, { method: 'POST', body });

  it('of one tenant are bounded, those of the others go on, and the room comes back', async () => {
    await start({ BODY_BYTES_TENANT: String(2 * MEBIBYTE), BODY_BYTES: String(3 * MEBIBYTE) });
    const authorization = `Bearer ${await tokenOf()}`;
    const other = `Bearer ${await tokenOf({ tid: '0199aa00-0000-7000-8000-000000000002', sub: 'u-2' })}`;
    await announce(MEBIBYTE, { authorization });
    await announce(MEBIBYTE, { authorization });
    await until(async () => (await metric('gateway_body_bytes{sender="tenant"')) === 2 * MEBIBYTE);
    const refused = await post({ authorization });
    expect([refused.status, refused.code, refused.headers.get('retry-after')]).toEqual([
      503,
      'SERVICE_UNAVAILABLE',
      '1',
    ]);
    expect((await call('/api/crm/leads', { authorization })).status).toBe(200);
    expect((await post({ authorization: other })).status).toBe(200);
    await announce(MEBIBYTE, { authorization: other });
    await until(async () => (await metric('gateway_body_bytes{sender="tenant"')) === 3 * MEBIBYTE);
    // All tenants together.
    expect((await post({ authorization: other })).status).toBe(503);
    for (const socket of sockets.splice(0)) socket.destroy();
    await until(async () => (await metric('gateway_body_bytes{sender="tenant"')) === 0);
    expect((await post({ authorization })).status).toBe(200);
    expect(await metric('gateway_bodies_refused_total{sender="tenant"')).toBe(2);
  });

  const LOGIN = '/api/auth/login';
  const HOOK = `/api/crm/automations/hooks/${TENANT}/s`;
  const NEIGHBOUR = { 'x-forwarded-for': '192.0.2.99', 'content-type': 'application/json' };
  const send = (path: string, headers: Record<string, string> = NEIGHBOUR) =>
    call(path, headers, { method: 'POST', body: 'x'.repeat(1000) });
  /** Takes a room of the smallest size whole. */
  const fill = async (sender: string, path: string, bytes: number) => {
    const connections = MEBIBYTE / 4 / bytes;
    for (let n = 0; n < connections; n += 1) await announce(bytes, { 'x-forwarded-for': `198.51.100.${n % 4}` }, path);
    await until(async () => (await metric(`gateway_body_bytes{sender="${sender}"`)) === MEBIBYTE / 4);
  };
  const SMALLEST = { BODY_BYTES_ADDRESS: String(MEBIBYTE), BODY_BYTES_ADDRESSES: String(MEBIBYTE) };

  it('of senders without a token take no room of tenants, credentials and hooks', async () => {
    await start(SMALLEST);
    await fill('address', '/api/crm/leads', 16 * 1024);
    expect((await send('/api/crm/leads')).status).toBe(503);
    for (const path of [LOGIN, '/api/auth/refresh', HOOK])
      expect([path, (await send(path)).status]).toEqual([path, 200]);
    expect((await post({ authorization: `Bearer ${await tokenOf()}` })).status).toBe(200);
  });

  it('of hooks and of credentials leave room for each other', async () => {
    await start(SMALLEST);
    await fill('credentials', LOGIN, 16 * 1024);
    expect([(await send(LOGIN)).status, (await send(HOOK)).status]).toEqual([503, 200]);
    for (const n of [1, 2, 3, 4]) await announce(256 * 1024, { 'x-forwarded-for': `203.0.113.${n}` }, HOOK);
    await until(async () => (await metric('gateway_body_bytes{sender="hook"')) === MEBIBYTE);
    expect((await send(HOOK)).status).toBe(503);
    for (const socket of sockets.splice(0)) socket.destroy();
    await until(async () => (await metric('gateway_body_bytes{sender="credentials"')) === 0);
    expect((await send(LOGIN)).status).toBe(200);
  });

  it('that do not arrive in time are refused, and their room comes back', async () => {
    await start();
    const socket = await announce(16 * 1024, { 'x-forwarded-for': ATTACKER, 'content-type': 'text/plain' }, LOGIN);
    socket.write('x');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 408 [\s\S]*connection: close[\s\S]*"code":"REQUEST_TIMEOUT"/i);
    await once(socket, 'close');
    expect(await metric('gateway_body_bytes{sender="credentials"')).toBe(0);
    expect(services.received).toEqual([]);
  });

  it('are as long as calls of their kind need', async () => {
    await start();
    const send = async (path: string, bytes: number, headers: Record<string, string> = {}) =>
      (
        await call(
          path,
          { 'content-type': 'application/json', ...headers },
          { method: 'POST', body: 'x'.repeat(bytes) },
        )
      ).status;
    expect(await send('/api/auth/login', 16 * 1024)).toBe(200);
    expect(await send('/api/auth/login', 16 * 1024 + 1)).toBe(413);
    expect(await send(`/api/crm/automations/hooks/${TENANT}/s`, 256 * 1024)).toBe(200);
    expect(await send(`/api/crm/automations/hooks/${TENANT}/s`, 256 * 1024 + 1)).toBe(413);
    expect(await send('/api/crm/leads', 16 * 1024)).toBe(200);
    // Longer ones need a token.
    for (const path of ['/api/crm/leads', '/api/auth/me']) {
      expect(await send(path, 16 * 1024 + 1)).toBe(413);
      expect(await send(path, MEBIBYTE, { authorization: `Bearer ${await tokenOf()}` })).toBe(200);
    }
  });

  it('without a length are refused where they get too long, and sooner without a token', async () => {
    await start();
    const stream = async (bytes: number, headers: Record<string, string>) => {
      const body = new Blob(['x'.repeat(bytes)]).stream();
      const init = { method: 'POST', body, duplex: 'half' } as RequestInit;
      return (await call('/api/crm/leads', { 'content-type': 'text/plain', ...headers }, init)).status;
    };
    expect(await stream(16 * 1024, {})).toBe(200);
    expect(await stream(16 * 1024 + 1, {})).toBe(413);
    expect(await stream(16 * 1024 + 1, { authorization: `Bearer ${await tokenOf()}` })).toBe(200);
  });
});

describe('a service that does not answer', () => {
  it('gets no more calls for a while, callers are told at once, and it comes back by itself', async () => {
    await start({ UPSTREAM_TIMEOUT_MS: '100' });
    services.answer = ({ service }) => (service === 'identity' ? 'never' : {});
    for (let n = 0; n < 5; n += 1) expect((await call('/api/auth/me')).code).toBe('DEADLINE_EXCEEDED');
    const received = services.received.length;
    const refused = await call('/api/auth/me');
    expect([refused.status, refused.code, refused.headers.get('retry-after')]).toEqual([
      503,
      'SERVICE_UNAVAILABLE',
      '1',
    ]);
    expect(services.received.length).toBe(received);
    expect(await metric('gateway_upstream_open{upstream="identity"')).toBe(1);
    expect((await call('/api/crm/leads')).status).toBe(200);
    services.answer = () => ({});
    while ((await call('/api/auth/me')).status !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await metric('gateway_upstream_open{upstream="identity"')).toBe(0);
  });

  it('is not one that refuses', async () => {
    await start();
    services.answer = () => ({ status: 503 });
    for (let n = 0; n < 8; n += 1) await call('/api/crm/leads');
    expect(services.received.length).toBe(8);
  });
});

describe('pages of other origins', () => {
  const preflight = async (origin: string) => {
    const headers = { origin, 'access-control-request-method': 'POST' };
    const { status, headers: answer } = await fetch(`${gateway.url}/api/crm/leads`, { method: 'OPTIONS', headers });
    return [status, answer.get('access-control-allow-origin'), answer.get('access-control-allow-credentials')];
  };

  it('may call the API if they are listed, and without cookies', async () => {
    await start({ CORS_ORIGINS: 'https://app.example.com, http://127.0.0.1:5173' });
    expect(await preflight('https://app.example.com')).toEqual([204, 'https://app.example.com', null]);
    expect(await preflight('http://127.0.0.1:5173')).toEqual([204, 'http://127.0.0.1:5173', null]);
    for (const origin of ['https://app.example.com.evil.test', 'http://app.example.com', 'null']) {
      expect((await preflight(origin)).slice(1)).toEqual([null, null]);
    }
    const answer = await call('/api/crm/leads', { origin: 'https://app.example.com' });
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
    expect(answer.headers.get('vary')).toContain('origin');
  });

  it.each(['*', 'https://app.example.com/', 'app.example.com', 'https://a.test,ftp://b.test'])(
    'are not listed as %s',
    async (origins) => {
      await expect(startGateway(services, { CORS_ORIGINS: origins })).rejects.toThrow('CORS_ORIGINS must be origins');
      await start();
    },
  );
});

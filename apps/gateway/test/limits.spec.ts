import type { RunningService } from '@crm/runtime';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Services, startGateway, TENANT, tokenOf } from './harness.js';

describe('the limits of the gateway', () => {
  let services: Services;
  let gateway: RunningService | undefined;

  beforeEach(async () => {
    services = await Services.start();
  });
  afterEach(async () => {
    await gateway?.close();
    await services.close();
  });

  const start = async (environment: Record<string, string>) => {
    gateway = await startGateway(services, environment);
  };
  const call = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const response = await fetch(gateway!.url + path, { method, headers });
    return { status: response.status, headers: response.headers, body: (await response.json()) as { code?: string } };
  };
  const bearer = async (claims: Record<string, unknown> = {}) => ({ authorization: `Bearer ${await tokenOf(claims)}` });

  it('count a principal over all of its tokens, and say what is left', async () => {
    await start({ RATE_LIMIT_PRINCIPAL: '2' });
    const first = await call('/api/crm/leads', await bearer());
    expect(first.headers.get('ratelimit-policy')).toBe('"principal";q=2;w=60, "tenant";q=12000;w=60');
    expect(first.headers.get('ratelimit')).toBe('"principal";r=1;t=30');
    await call('/api/crm/leads', await bearer());
    const refused = await call('/api/crm/tasks', await bearer());
    expect([refused.status, refused.body.code]).toEqual([429, 'RATE_LIMITED']);
    // Two a minute are one in half of it.
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(25);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(30);
    expect(refused.headers.get('ratelimit')).toBe(`"principal";r=0;t=${refused.headers.get('retry-after')}`);
    expect(services.received.length).toBe(2);
    expect((await call('/api/crm/leads', await bearer({ sub: 'u-2' }))).status).toBe(200);
  });

  it('count the principals of a tenant together', async () => {
    await start({ RATE_LIMIT_TENANT: '2' });
    await call('/api/crm/leads', await bearer({ sub: 'u-1' }));
    await call('/api/crm/leads', await bearer({ sub: 'u-2' }));
    expect((await call('/api/crm/leads', await bearer({ sub: 'u-3' }))).status).toBe(429);
    const other = await bearer({ tid: '0199aa00-0000-7000-8000-000000000002' });
    expect((await call('/api/crm/leads', other)).status).toBe(200);
  });

  it('give an installed app a rate and a burst of its own', async () => {
    await start({ RATE_LIMIT_APP: '6000', RATE_LIMIT_APP_BURST: '3', RATE_LIMIT_PRINCIPAL: '1' });
    const claims = { sub: TENANT, roles: ['app:acme-sync'], app: true };
    const first = await call('/api/crm/leads', await bearer(claims));
    expect(first.headers.get('ratelimit-policy')).toBe('"app";q=3;w=1, "tenant";q=12000;w=60');
  });

  it('count requests without a token by address', async () => {
    await start({ RATE_LIMIT_ADDRESS: '2' });
    const from = (address: string) => call('/api/marketplace/apps', { 'x-forwarded-for': address });
    expect((await from('192.0.2.1')).status).toBe(200);
    expect((await from('192.0.2.1')).status).toBe(200);
    expect((await from('192.0.2.1')).status).toBe(429);
    expect((await from('192.0.2.2')).status).toBe(200);
    // The addresses of one IPv6 customer count as one.
    await from('2001:db8:1:2::1');
    await from('2001:db8:1:2::2');
    expect((await from('2001:db8:1:2:ffff::3')).status).toBe(429);
  });

  it('count sign-ins from loopback only when they fail, outside production', async () => {
    await start({ RATE_LIMIT_ADDRESS: '3' });
    const signIn = () => call('/api/auth/login', {}, 'POST');
    for (let attempt = 0; attempt < 10; attempt += 1) expect((await signIn()).status).toBe(200);
    services.answer = () => ({ status: 401 });
    for (let attempt = 0; attempt < 3; attempt += 1) expect((await signIn()).status).toBe(401);
    expect((await signIn()).status).toBe(429);
  });

  it('leave the limit headers of a service that refuses unchanged', async () => {
    await start({});
    const headers = { 'retry-after': '7', 'ratelimit-policy': '"sign-in-account";q=10;w=900' };
    const ratelimit = '"sign-in-account";r=0;t=7';
    services.answer = () => ({ status: 429, headers: { ...headers, ratelimit } });
    const refused = await call('/api/auth/login', { 'x-forwarded-for': '192.0.2.1' }, 'POST');
    expect(refused.status).toBe(429);
    for (const [name, value] of Object.entries({ ...headers, ratelimit }))
      expect(refused.headers.get(name)).toBe(value);
  });

  it('count every sign-in from other addresses', async () => {
    await start({ RATE_LIMIT_ADDRESS: '1' });
    const from = { 'x-forwarded-for': '192.0.2.1' };
    expect((await call('/api/auth/login', from, 'POST')).status).toBe(200);
    expect((await call('/api/auth/login', from, 'POST')).status).toBe(429);
  });

  it('count calls of a hook by its id, whatever the secret', async () => {
    await start({ RATE_LIMIT_HOOK: '2' });
    const hook = (id: string, secret: string) => call(`/api/crm/automations/hooks/${id}/${secret}`, {}, 'POST');
    expect((await hook('w-1', 'a')).status).toBe(200);
    expect((await hook('w-1', 'b')).status).toBe(200);
    expect((await hook('w-1', 'c')).status).toBe(429);
    expect((await hook('w-2', 'a')).status).toBe(200);
  });

  it('count calls of a hook for each address, so that nobody can shut it from elsewhere', async () => {
    await start({ RATE_LIMIT_HOOK: '2' });
    const hook = (address: string) =>
      call('/api/crm/automations/hooks/w-1/s', { 'x-forwarded-for': address }, 'POST').then(({ status }) => status);
    const statuses = [];
    for (let n = 0; n < 3; n += 1) statuses.push(await hook('192.0.2.66'));
    expect([...statuses, await hook('192.0.2.1')]).toEqual([200, 200, 429, 200]);
  });

  it('ignore the X-Forwarded-For of a client that is not a trusted proxy', async () => {
    await start({ RATE_LIMIT_ADDRESS: '1', TRUSTED_PROXIES: '192.0.2.200' });
    expect((await call('/api/marketplace/apps', { 'x-forwarded-for': '192.0.2.1' })).status).toBe(200);
    expect((await call('/api/marketplace/apps', { 'x-forwarded-for': '192.0.2.2' })).status).toBe(429);
  });
});

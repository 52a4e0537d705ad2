import { SERVICES } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { ProblemFilter } from '../problem/problem.filter.js';
import { createHttpAdapter, securityHeaders } from './adapter.js';

describe('the security headers', () => {
  it('are set at public addresses', () => {
    const having = SERVICES.filter((name) => securityHeaders({ name, baseUrl: 'http://x' }));
    expect(having).toEqual(['gateway', 'marketplace-admin', 'embed-gateway']);
  });

  it('demand TLS of browsers where the platform has it', () => {
    const of = (baseUrl: string) => securityHeaders({ name: 'gateway', baseUrl })?.['strict-transport-security'];
    expect(of('http://127.0.0.1')).toBeUndefined();
    const [age, ...rest] = of('https://crm.example')?.split('; ') ?? [];
    expect(Number(age?.replace('max-age=', ''))).toBeGreaterThanOrEqual(365 * 86_400);
    expect(rest).toEqual(['includeSubDomains']);
  });

  it('leave an answer that may be stored its own time', async () => {
    const adapter = createHttpAdapter(
      { name: 'gateway', baseUrl: 'http://x', trustedProxies: [] },
      new ProblemFilter('http://x'),
    );
    const server = adapter.getInstance() as unknown as FastifyInstance;
    server.get('/records', () => ({}));
    server.get('/keys', (_request, reply) => reply.header('Cache-Control', 'public, max-age=300').send({}));
    const address = await server.listen({ port: 0, host: '127.0.0.1' });
    const stored = async (path: string) => (await fetch(address + path)).headers.get('cache-control');
    const found = [await stored('/records'), await stored('/keys')];
    await server.close();
    expect(found).toEqual(['no-store', 'public, max-age=300']);
  });

  it.each([
    ['gateway', 'DENY'],
    ['marketplace-admin', 'DENY'],
    // Whom its page may be framed by is said in the policy of the page.
    ['embed-gateway', undefined],
  ] as const)('are in every answer of %s, also for a path that it has not', async (name, framing) => {
    const config = { name, baseUrl: 'http://x', trustedProxies: [] };
    const adapter = createHttpAdapter(config, new ProblemFilter('http://x'));
    const server = adapter.getInstance() as unknown as FastifyInstance;
    const address = await server.listen({ port: 0, host: '127.0.0.1' });
    const headers = Object.fromEntries((await fetch(`${address}/nowhere`)).headers);
    await server.close();
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['x-frame-options']).toBe(framing);
  });
});

import { SERVICES, type ServiceName } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { ProblemFilter } from '../problem/problem.filter.js';
import { createHttpAdapter, securityHeaders } from './adapter.js';

describe('the security headers', () => {
  /** Headers of the answers of an edge by path. */
  const headersOf = async (name: ServiceName, ...paths: string[]) => {
    const config = { name, baseUrl: 'http://x', trustedProxies: [] };
    const adapter = createHttpAdapter(config, new ProblemFilter('http://x'));
    const server = adapter.getInstance() as unknown as FastifyInstance;
    server.get('/records', () => ({}));
    server.get('/keys', (_request, reply) => reply.header('Cache-Control', 'public, max-age=300').send({}));
    const address = await server.listen({ port: 0, host: '127.0.0.1' });
    const answers = await Promise.all(paths.map((path) => fetch(address + path)));
    await server.close();
    return answers.map(({ headers }) => Object.fromEntries(headers));
  };

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
    const answers = await headersOf('gateway', '/records', '/keys');
    expect(answers.map((headers) => headers['cache-control'])).toEqual(['no-store', 'public, max-age=300']);
  });

  it.each([
    ['gateway', 'DENY'],
    ['marketplace-admin', 'DENY'],
    // Whom its page may be framed by is said in the policy of the page.
    ['embed-gateway', undefined],
  ] as const)('are in every answer of %s, also for a path that it has not', async (name, framing) => {
    const [headers] = await headersOf(name, '/nowhere');
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    expect(headers?.['x-frame-options']).toBe(framing);
  });
});

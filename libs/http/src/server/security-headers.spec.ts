import { SERVICES } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { ProblemFilter } from '../problem/problem.filter.js';
import { createHttpAdapter } from './adapter.js';
import { securityHeaders } from './security-headers.js';

describe('the security headers', () => {
  it('are set at public addresses', () => {
    const having = SERVICES.filter((name) => securityHeaders({ name, baseUrl: 'http://x' }));
    expect(having).toEqual(['gateway', 'marketplace-admin', 'embed-gateway']);
  });

  it('demand TLS of browsers where the platform has it', () => {
    const of = (baseUrl: string) => securityHeaders({ name: 'gateway', baseUrl })?.['strict-transport-security'];
    expect([of('http://127.0.0.1'), of('https://crm.example')]).toEqual([
      undefined,
      expect.stringMatching(/^max-age=\d{8};/),
    ]);
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
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['x-frame-options']).toBe(framing);
  });
});

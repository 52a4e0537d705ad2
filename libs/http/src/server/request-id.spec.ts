import { isEdge, SERVICES, type ServiceName } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { ProblemFilter } from '../problem/problem.filter.js';
import { createHttpAdapter } from './adapter.js';

/** The answer to a request with an id, and under which one the service works on it. */
async function idsOf(name: ServiceName, sent: string): Promise<{ echoed: string | null; own: string; sent?: string }> {
  const config = { name, baseUrl: 'http://x', trustedProxies: [] };
  const adapter = createHttpAdapter(config, new ProblemFilter('http://x'));
  const server = adapter.getInstance() as unknown as FastifyInstance;
  server.get('/', ({ id, callContext: { requestId, clientRequestId } }) => ({ id, requestId, clientRequestId }));
  const answer = await fetch(await server.listen({ port: 0, host: '127.0.0.1' }), {
    headers: { 'x-request-id': sent },
  });
  const { id, requestId, clientRequestId } = (await answer.json()) as Record<string, string>;
  await server.close();
  expect(id).toBe(requestId);
  return {
    echoed: answer.headers.get('x-request-id'),
    own: requestId ?? '',
    ...(clientRequestId && { sent: clientRequestId }),
  };
}

const OWN = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe('the X-Request-Id that a client sends', () => {
  it.each(SERVICES.filter(isEdge))('is echoed by %s, which works under an id of its own', async (name) => {
    expect(await idsOf(name, 'chosen.by-client_1')).toEqual({
      echoed: 'chosen.by-client_1',
      own: expect.stringMatching(OWN),
      sent: 'chosen.by-client_1',
    });
  });

  it.each(SERVICES.filter((name) => !isEdge(name)))('is the one of the edge for %s, and is kept', async (name) => {
    expect(await idsOf(name, 'of-the-edge')).toEqual({ echoed: 'of-the-edge', own: 'of-the-edge' });
  });

  it.each(SERVICES)('is left aside by %s where it could break a line of a log', async (name) => {
    const { echoed, own, sent } = await idsOf(name, 'a b<script>');
    expect([echoed, own, sent]).toEqual([own, expect.stringMatching(OWN), undefined]);
  });
});

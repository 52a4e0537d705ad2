import type { RequestContext } from '@crm/access';
import { describe, expect, it } from '@jest/globals';
import fastify, { type FastifyReply } from 'fastify';
import { type AnsweredRequest, logRequests, requestLines } from './logger.js';

const context: RequestContext = {
  requestId: 'r-1',
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
};
const answered: AnsweredRequest = { method: 'GET', path: '/api/crm/leads', status: 200, elapsed: 1.2345, context };
const lineOf = requestLines('custom-objects');
const entryOf = (changes: Partial<AnsweredRequest>) => JSON.parse(lineOf({ ...answered, ...changes }));

describe('the log line of a request', () => {
  it('has the members of every log line, and the outcome of the request', () => {
    const line = lineOf(answered);
    expect(line).toMatch(/^\{.*\}\n$/);
    expect(JSON.parse(line)).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      service: 'custom-objects',
      pid: process.pid,
      requestId: 'r-1',
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
      method: 'GET',
      path: '/api/crm/leads',
      status: 200,
      ms: 1.2,
      msg: 'request',
    });
  });

  it('has the id that a client has chosen beside the own one', () => {
    const entry = entryOf({ context: { ...context, clientRequestId: 'chosen' } });
    expect(entry).toMatchObject({ requestId: 'r-1', clientRequestId: 'chosen' });
  });

  it('names the principal, and the problem with which the request was refused', () => {
    const principal = { kind: 'user', userId: 'u"1', token: 'S3CRET' } as NonNullable<RequestContext['principal']>;
    const entry = entryOf({ context: { ...context, tenantId: 't-1', principal }, problem: 'FORBIDDEN', status: 403 });
    expect(entry).toMatchObject({ tenantId: 't-1', principal: 'user', userId: 'u"1', problem: 'FORBIDDEN' });
    expect(JSON.stringify(entry)).not.toContain('S3CRET');
  });

  it('is one valid line whatever the path contains', () => {
    for (const path of ['/a"b', '/a\\b', '/a\u0000\nb', '/\ud800', '/grün', '/a\u2028b']) {
      expect(lineOf({ ...answered, path }).split('\n')).toHaveLength(2);
      expect(entryOf({ path }).path).toBe(path);
    }
  });

  const ID = '0199aa00-0000-7000-8000-000000000001';
  const SECRET = 'Zm9vYmFyc2VjcmV0MTIzNDU2';
  it.each([
    ['/api/crm/leads?email=ada@example.com', '/api/crm/leads'],
    [`/api/crm/automations/hooks/${ID}/S3CRET`, `/api/crm/automations/hooks/${ID}/[redacted]`],
    [`/api/crm/objects/${SECRET}`, `/api/crm/objects/${SECRET}`],
    // Without a route, a long segment may be a secret: a mistyped address of a hook.
    [`/api/crm/automations/hook/${ID}/${SECRET}`, `/api/crm/automations/hook/${ID}/[redacted]`],
    [`/runs/${ID}/${SECRET.slice(0, 19)}`, `/runs/${ID}/${SECRET.slice(0, 19)}`],
    [`/${SECRET}%2f/?x=${SECRET}`, '/[redacted]/'],
    // At an edge whatever is below a prefix has one route: what is answered has one at its service too.
    [`/api/edge/${SECRET}`, `/api/edge/${SECRET}`],
    [`/api/edge/hook/${SECRET}?refuse=1`, '/api/edge/hook/[redacted]'],
  ])('omits queries and secrets: %s', async (url, path) => {
    const lines: string[] = [];
    const server = fastify();
    server.addHook('onRequest', (request, _reply, done) => {
      request.callContext = context;
      done();
    });
    logRequests(server, { name: 'gateway', logLevel: 'info' }, { write: (line: string) => lines.push(line) });
    const answer = (request: { query: unknown }, reply: FastifyReply) =>
      reply.code((request.query as { refuse?: string }).refuse ? 404 : 200).send('');
    for (const known of ['/api/crm/leads', '/api/crm/objects/:name', `/api/crm/automations/hooks/:id/:secret`])
      server.get(known, answer);
    server.get('/api/edge/*', answer);
    await server.inject(url);
    expect(lines.map((line) => JSON.parse(line).path)).toEqual([path]);
  });
});

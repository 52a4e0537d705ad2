import type { RequestContext } from '@crm/access';
import { describe, expect, it } from '@jest/globals';
import { type AnsweredRequest, requestLines } from './logger.js';

const context: RequestContext = {
  requestId: 'r-1',
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
};
const answered: AnsweredRequest = { method: 'GET', url: '/api/crm/leads', status: 200, elapsed: 1.2345, context };
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
    for (const url of ['/a"b', '/a\\b', '/a\u0000\nb', '/\ud800', '/grün', '/a\u2028b']) {
      expect(lineOf({ ...answered, url }).split('\n')).toHaveLength(2);
      expect(entryOf({ url }).path).toBe(url);
    }
  });

  it('omits queries and secrets of hooks', () => {
    expect(entryOf({ url: '/api/crm/leads?email=ada@example.com' }).path).toBe('/api/crm/leads');
    expect(entryOf({ url: '/api/crm/automations/hooks/w-1/S3CRET' }).path).toBe(
      '/api/crm/automations/hooks/w-1/[redacted]',
    );
  });
});

import { describe, expect, it } from '@jest/globals';
import { logMembers } from './request-context.js';

describe('the members of a log entry about a call', () => {
  it('are the request, the tenant and the trace', () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    expect(logMembers({ requestId: 'r-1', traceparent, tenantId: 't-1' })).toEqual({
      requestId: 'r-1',
      tenantId: 't-1',
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    });
  });

  it('leave out what is unknown', () => {
    expect(JSON.stringify(logMembers({}))).toBe('{}');
  });
});

import { describe, expect, it } from '@jest/globals';
import { continueTrace, logMembers } from './request-context.js';

describe('the members of a log entry about a call', () => {
  it('are the request, the tenant and the trace', () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    expect(logMembers({ requestId: 'r-1', traceparent, tenantId: 't-1' })).toEqual({
      requestId: 'r-1',
      tenantId: 't-1',
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    });
  });

  it('leave out what is unknown', () => expect(JSON.stringify(logMembers({}))).toBe('{}'));
});

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const FORM = /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/;

describe('continueTrace', () => {
  it('keeps the trace and its sampling, with a new span', () => {
    const continued = continueTrace(`00-${TRACE}-00f067aa0ba902b7-01`);
    expect(continued).toMatch(FORM);
    expect(continued.split('-')).toEqual(['00', TRACE, expect.not.stringMatching('00f067aa0ba902b7'), '01']);
    expect(continueTrace(`00-${TRACE}-00f067aa0ba902b7-00`)).toMatch(/-00$/);
  });

  it('reads the known part of a later version', () => {
    expect(continueTrace(`cc-${TRACE}-00f067aa0ba902b7-01-what-comes`)).toContain(TRACE);
  });

  it.each([
    ...[undefined, '', 'nonsense', `ff-${TRACE}-00f067aa0ba902b7-01`, `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
    ...[`00-${TRACE}-${'0'.repeat(16)}-01`, `00-${TRACE}-00f067aa0ba902b7-01-more`],
    `00-${TRACE.toUpperCase()}-00f067aa0ba902b7-01`,
  ])('starts a new trace for %p', (received) => {
    const started = continueTrace(received);
    expect(started).toMatch(FORM);
    expect(started).not.toContain(TRACE);
  });
});

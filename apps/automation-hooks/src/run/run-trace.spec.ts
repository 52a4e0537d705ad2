import { continueTrace } from '@crm/access';
import { describe, expect, it } from '@jest/globals';
import { causingRun, traceOf } from './run-trace.js';

const RUN = '0190a000-1234-7abc-8def-0123456789ab';

describe('the trace of a run', () => {
  it('contains the id of the run, also after services have continued it', () => {
    expect(causingRun({ traceparent: traceOf(RUN) })).toBe(RUN);
    expect(causingRun({ traceparent: continueTrace(continueTrace(traceOf(RUN))) })).toBe(RUN);
  });

  it('is a valid W3C traceparent', () => {
    expect(traceOf(RUN)).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  });

  it('gives way to the cause that the event names, as that of a run which is recorded has the trace of its own cause', () => {
    const other = continueTrace(undefined);
    expect(causingRun({ causeid: RUN, traceparent: other })).toBe(RUN);
    expect(causingRun({ causeid: 'no id of a run', traceparent: traceOf(RUN) })).toBe(RUN);
  });

  it.each([undefined, '', 'nonsense'])('is not found in the traceparent %j', (traceparent) => {
    expect(causingRun({ traceparent })).toBeUndefined();
  });
});

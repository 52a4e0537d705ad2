import { continueTrace } from '@crm/context';
import { describe, expect, it } from '@jest/globals';
import { causingRun, traceOf } from './run-trace.js';

const RUN = '0190a000-1234-7abc-8def-0123456789ab';

describe('the trace of a run', () => {
  it('contains the id of the run, also after services have continued it', () => {
    expect(causingRun(traceOf(RUN))).toBe(RUN);
    expect(causingRun(continueTrace(continueTrace(traceOf(RUN))))).toBe(RUN);
  });

  it('is a valid W3C traceparent', () => {
    expect(traceOf(RUN)).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  });

  it.each([undefined, '', 'nonsense'])('is not found in the traceparent %j', (traceparent) => {
    expect(causingRun(traceparent)).toBeUndefined();
  });
});

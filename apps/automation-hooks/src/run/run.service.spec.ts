import { continueTrace } from '@crm/access';
import { describe, expect, it } from '@jest/globals';
import { causingRun, depthHeaders, depthOfCall, traceOf } from './run.service.js';

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

const BASE_URL = 'https://crm.example.com';
const HOOK = '/api/crm/automations/hooks/0190a000-0000-7000-8000-000000000001/secret';

describe('the depth of a run', () => {
  it.each([`${BASE_URL}${HOOK}`, `https://CRM.example.com:443${HOOK}?a=1`, `${BASE_URL}/x/..${HOOK}`])(
    'is sent to the hook %s',
    (url) => {
      expect(depthHeaders(url, BASE_URL, 3)).toEqual({ 'workflow-depth': '3' });
    },
  );

  it.each([
    'https://other.example.com/api/crm/automations/hooks/a/b',
    `https://crm.example.com.evil.example${HOOK}`,
    `https://crm.example.com@evil.example${HOOK}`,
    `https://crm.example.com:8443${HOOK}`,
    `${BASE_URL}/api/crm/automations/runs`,
    `${BASE_URL}${HOOK}/../../../../leads`,
    'not a URL',
  ])('is not sent to %s', (url) => {
    expect(depthHeaders(url, BASE_URL, 3)).toEqual({});
  });

  it('that a call starts is one more than what the call carries', () => {
    expect(depthOfCall('0')).toBe(1);
    expect(depthOfCall('5')).toBe(6);
  });

  it.each([undefined, '', '-1', '1.5', '0x2', 'NaN', '99999', ['1', '2']])(
    'is 0 for a call that carries %j',
    (header) => {
      expect(depthOfCall(header)).toBe(0);
    },
  );
});

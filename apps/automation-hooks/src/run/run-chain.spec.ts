import { randomBytes } from 'node:crypto';
import { continueTrace } from '@crm/access';
import { describe, expect, it } from '@jest/globals';
import { causingRun, depthOfCall, RunChain, traceOf } from './run-chain.js';

const RUN = '0190a000-1234-7abc-8def-0123456789ab';

describe('the trace of a run', () => {
  it('is a valid W3C traceparent with the id of the run, also after services have continued it', () => {
    expect(traceOf(RUN)).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(causingRun({ traceparent: traceOf(RUN) })).toBe(RUN);
    expect(causingRun({ traceparent: continueTrace(continueTrace(traceOf(RUN))) })).toBe(RUN);
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
/** Most installations have another origin. */
const EMBED_URL = 'https://embed.example.com:8443';
const HOOK = '/api/crm/automations/hooks/0190a000-0000-7000-8000-000000000001/secret';

const chainWith = (encryptionKey: string) => {
  const service = { baseUrl: BASE_URL, embedApiUrl: EMBED_URL };
  const config = { encryptionKey, service, hooks: { baseUrl: 'https://hooks.example.com' } };
  return new RunChain(config as ConstructorParameters<typeof RunChain>[0]);
};
const newKey = () => randomBytes(32).toString('base64');

describe('the depth of a run', () => {
  const chain = chainWith(newKey());
  it.each([
    `${BASE_URL}${HOOK}`,
    `https://CRM.example.com:443${HOOK}?a=1`,
    `https://crm.example.com.${HOOK}`,
    `${BASE_URL}/x/..${HOOK}`,
    `${BASE_URL}//api/crm/leads`,
    `${BASE_URL}/api/crm/leads`,
    `${EMBED_URL}/api/crm/leads`,
    `https://hooks.example.com${HOOK}`,
  ])('is told to the platform, called as %s', (url) => {
    const headers = chain.headersTo(url, 3);
    expect(headers).toEqual({ 'workflow-depth': '3', traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-/) });
    expect(chain.depthOfRequest(continueTrace(headers.traceparent))).toBe(3);
  });

  it.each([
    'https://other.example.com/api/crm/automations/hooks/a/b',
    `https://crm.example.com.evil.example${HOOK}`,
    `https://crm.example.com@evil.example${HOOK}`,
    `https://crm.example.com:8443${HOOK}`,
    'not a URL',
  ])('is not told to %s', (url) => {
    expect(chain.headersTo(url, 3)).toEqual({});
  });

  it('is known by no trace that someone else makes, and by none that tells of another call', () => {
    for (const trace of [undefined, '', traceOf(RUN), chainWith(newKey()).headersTo(BASE_URL, 3).traceparent]) {
      expect(chain.depthOfRequest(trace)).toBeUndefined();
    }
    const traces = Array.from({ length: 100 }, () => chain.headersTo(BASE_URL, 3).traceparent);
    expect(new Set(traces).size).toBe(100);
  });

  it('is known after the key was replaced, while the ring has the old one', () => {
    const [old, current] = [newKey(), newKey()];
    const sent = chainWith(old).headersTo(BASE_URL, 5).traceparent;
    expect(chainWith(`new:${current},old:${old}`).depthOfRequest(sent)).toBe(5);
  });

  it.each([
    ['0', 1],
    ['5', 6],
    ...[undefined, '', '-1', '1.5', '0x2', 'NaN', '99999', ['1', '2']].map((header) => [header, 0] as const),
  ])('that a call starts which carries %j is %d', (header, depth) => {
    expect(depthOfCall(header as string)).toBe(depth);
  });
});

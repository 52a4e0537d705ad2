import { describe, expect, it } from '@jest/globals';
import { phaseOf } from './attempt-phase.js';

describe('the phase in which an attempt failed', () => {
  it.each([
    ['blocked', 'policy'],
    ['dns', 'dns'],
    ['connect', 'connect'],
    ['tls', 'tls'],
    ['timeout_headers', 'headers'],
    ['too_large', 'headers'],
    ['timeout_body', 'body'],
  ])('follows from the code %s', (code, phase) => {
    expect(phaseOf(code)).toBe(phase);
  });

  it.each(['timeout_connect', 'timeout_total', 'reset', 'http_protocol'])('is open for %s', (code) => {
    expect(phaseOf(code)).toBeNull();
  });

  it.each(['http_5xx', 'redirect', 'expired', 'toString'])(
    'is none for %s, the code of no failed connection',
    (code) => {
      expect(phaseOf(code)).toBeNull();
    },
  );
});

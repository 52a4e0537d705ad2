import { PlatformError } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import { problemHeaders } from './problem.js';
import { limitHeaders, rateLimited } from './rate-limits.js';

describe('rate limits in responses', () => {
  it('name every policy and the scarcest state', () => {
    expect(
      limitHeaders([
        { name: 'principal', quota: 10, windowSeconds: 60, remaining: 3, resetSeconds: 20 },
        { name: 'tenant', quota: 100, windowSeconds: 60, remaining: 1, resetSeconds: 5 },
      ]),
    ).toEqual({ 'ratelimit-policy': '"principal";q=10;w=60, "tenant";q=100;w=60', ratelimit: '"tenant";r=1;t=5' });
  });

  it('are in a refusal together with the time to wait', () => {
    const refusal = rateLimited(
      [{ name: 'sign-in-account', quota: 10, windowSeconds: 900, remaining: 0, resetSeconds: 5 }],
      'Too many failed attempts',
    );
    expect(refusal).toMatchObject({ code: 'RATE_LIMITED', message: 'Too many failed attempts' });
    expect(problemHeaders(refusal, false)).toMatchObject({
      'retry-after': '5',
      'ratelimit-policy': '"sign-in-account";q=10;w=900',
      ratelimit: '"sign-in-account";r=0;t=5',
    });
  });

  it('are absent from errors that are not due to a limit', () => {
    expect(Object.keys(problemHeaders(new PlatformError('NOT_FOUND'), false))).toEqual([
      'content-type',
      'cache-control',
    ]);
  });
});

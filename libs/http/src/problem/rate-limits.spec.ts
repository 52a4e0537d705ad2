import { PlatformError } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import { problemHeaders } from './problem.js';
import { limitHeaders, limitState, rateLimited } from './rate-limits.js';

const limiter = { keyPrefix: 'sign-in-account', points: 10, duration: 900 };

describe('rate limits in responses', () => {
  it('name every policy and the scarcest state', () => {
    expect(
      limitHeaders([
        { name: 'principal', quota: 10, windowSeconds: 60, remaining: 3, resetSeconds: 20 },
        { name: 'tenant', quota: 100, windowSeconds: 60, remaining: 1, resetSeconds: 5 },
      ]),
    ).toEqual({ 'ratelimit-policy': '"principal";q=10;w=60, "tenant";q=100;w=60', ratelimit: '"tenant";r=1;t=5' });
  });

  it.each([
    [
      { consumedPoints: 4, msBeforeNext: 1001 },
      { remaining: 6, resetSeconds: 2 },
    ],
    [
      { consumedPoints: 12, msBeforeNext: 0 },
      { remaining: 0, resetSeconds: 1 },
    ],
  ])('round %j up to whole seconds and never below zero', (count, expected) => {
    expect(limitState(limiter, count)).toEqual({
      name: 'sign-in-account',
      quota: 10,
      windowSeconds: 900,
      ...expected,
    });
  });

  it('are in a refusal together with the time to wait', () => {
    const refusal = rateLimited(limiter, { consumedPoints: 11, msBeforeNext: 4200 }, 'Too many failed attempts');
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

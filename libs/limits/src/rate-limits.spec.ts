import { describe, expect, it } from '@jest/globals';

import { limitHeaders, rateLimited } from './limiter.js';

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
    const states = [{ name: 'sign-in-account', quota: 10, windowSeconds: 900, remaining: 0, resetSeconds: 900 }];
    expect(rateLimited(states, 'Too many failed attempts')).toMatchObject({
      code: 'RATE_LIMITED',
      message: 'Too many failed attempts',
      extra: { retryAfterSeconds: 900, limits: states },
    });
  });
});

import { PlatformError } from '@crm/contracts';
import { rateLimited } from '@crm/limits';
import { describe, expect, it } from '@jest/globals';
import { problemHeaders } from './problem.js';

describe('the headers of a problem', () => {
  it('name the exhausted limit and the time to wait', () => {
    const states = [{ name: 'sign-in-account', quota: 10, windowSeconds: 900, remaining: 0, resetSeconds: 90 }];
    expect(problemHeaders(rateLimited(states), false)).toMatchObject({
      'retry-after': '90',
      'ratelimit-policy': '"sign-in-account";q=10;w=900',
      ratelimit: '"sign-in-account";r=0;t=90',
    });
  });

  it('say nothing of limits in errors that are not due to one', () => {
    expect(Object.keys(problemHeaders(new PlatformError('NOT_FOUND'), false))).toEqual([
      'content-type',
      'cache-control',
    ]);
  });
});

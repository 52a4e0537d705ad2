import { PlatformError } from '@crm/contracts';
import { rateLimited } from '@crm/limits';
import { describe, expect, it } from '@jest/globals';
import { countRefusal, refusals } from './problem.filter.js';

const state = (name: string) => ({ name, quota: 1, windowSeconds: 60, remaining: 0, resetSeconds: 5 });

describe('the count of refusals', () => {
  it('is by the limit that was exhausted, not by those passed before', async () => {
    countRefusal(rateLimited([state('principal'), state('tenant')]));
    countRefusal(rateLimited([state('principal'), state('tenant')]));
    countRefusal(new PlatformError('RATE_LIMITED'));
    countRefusal(new PlatformError('NOT_FOUND'));
    const { values } = await refusals.get();
    expect(values.map(({ labels, value }) => [labels.limit, value])).toEqual([
      ['tenant', 2],
      ['other', 1],
    ]);
  });
});

import { MemoryLimiterStore } from '@crm/limits';
import { describe, expect, it } from '@jest/globals';
import { COMPLETIONS_PER_ADDRESS, EmailChangeLimit, PasswordResetLimit, REQUESTS_PER_ADDRESS } from './limits.js';

/** Addresses that one subscriber of IPv6 has. */
const neighbour = (index: number) => `2001:db8:1:2::${index.toString(16)}`;
const REFUSED = { code: 'RATE_LIMITED' };

describe('limits on links from mails', () => {
  it.each([
    ['asking for new passwords', REQUESTS_PER_ADDRESS, (limit: PasswordResetLimit) => limit.consumeRequest],
    ['presenting tokens for them', COMPLETIONS_PER_ADDRESS, (limit: PasswordResetLimit) => limit.consumeCompletion],
  ])('count %s for a /64 of IPv6 together', async (_what, most, of) => {
    const limit = new PasswordResetLimit(new MemoryLimiterStore());
    const consume = of(limit).bind(limit);
    for (let index = 1; index <= most; index += 1) await consume(neighbour(index));
    await expect(consume(neighbour(most + 1))).rejects.toMatchObject(REFUSED);
    await consume('2001:db8:1:3::1');
  });

  it('count presenting tokens of e-mail changes for a /64 together', async () => {
    const limit = new EmailChangeLimit(new MemoryLimiterStore());
    for (let index = 1; index <= 40; index += 1) await limit.consumeToken(neighbour(index));
    await expect(limit.consumeToken(neighbour(41))).rejects.toMatchObject(REFUSED);
  });
});

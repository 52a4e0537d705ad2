import { addressKey, MemoryLimiterStore } from '@crm/limits';
import { describe, expect, it } from '@jest/globals';
import { EmailChangeLimit } from '../email-changes/email-change-limit.js';
import { COMPLETIONS_PER_ADDRESS, PasswordResetLimit, REQUESTS_PER_ADDRESS } from './password-reset-limit.js';

/** Addresses that one subscriber of IPv6 has. */
const neighbour = (index: number) => `2001:db8:1:2::${index.toString(16)}`;

describe('limits on links from mails', () => {
  const resets = new PasswordResetLimit(new MemoryLimiterStore());
  const changes = new EmailChangeLimit(new MemoryLimiterStore());

  it.each<[string, number, (address: string) => unknown]>([
    ['asking for new passwords', REQUESTS_PER_ADDRESS, (address) => resets.requests.consume(addressKey(address))],
    [
      'presenting tokens for them',
      COMPLETIONS_PER_ADDRESS,
      (address) => resets.completions.consume(addressKey(address)),
    ],
    ['presenting tokens of e-mail changes', 40, (address) => changes.tokens.consume(addressKey(address))],
  ])('count %s for a /64 of IPv6 together', async (_what, most, consume) => {
    for (let index = 1; index <= most; index += 1) await consume(neighbour(index));
    await expect(async () => consume(neighbour(most + 1))).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await consume('2001:db8:1:3::1');
  });
});

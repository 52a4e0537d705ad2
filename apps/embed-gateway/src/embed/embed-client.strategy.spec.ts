import { type ErrorCode, PlatformError } from '@crm/contracts';
import { MemoryLimiterStore } from '@crm/limits';
import { describe, expect, it } from '@jest/globals';
import { FAILURES_PER_ADDRESS, FAILURES_PER_CLIENT, MintLimit } from './embed-client.strategy.js';

const refuse = (code: ErrorCode) => () => Promise.reject(new PlatformError(code));
const wrong = refuse('INVALID_EMBED_CREDENTIALS');
const right = async () => 'minted';
const codeOf = async (outcome: Promise<unknown>) =>
  outcome.catch((error: unknown) => (error instanceof PlatformError ? error.code : error));

describe('the limit of failed mints', () => {
  it('refuses an address that tries many clients', async () => {
    const limit = new MintLimit(new MemoryLimiterStore());
    for (let count = 0; count < FAILURES_PER_ADDRESS; count += 1) {
      await codeOf(limit.attempt(`client-${count}`, '1.1.1.1', wrong));
    }
    expect(await codeOf(limit.attempt('new', '1.1.1.1', right))).toBe('RATE_LIMITED');
  });

  it('counts the addresses of a /64 of IPv6 as one', async () => {
    const limit = new MintLimit(new MemoryLimiterStore());
    for (let count = 0; count < FAILURES_PER_CLIENT; count += 1) {
      await codeOf(limit.attempt('a', `2001:db8:1:2::${count.toString(16)}`, wrong));
    }
    expect(await codeOf(limit.attempt('a', '2001:db8:1:2:ffff::1', right))).toBe('RATE_LIMITED');
    expect(await codeOf(limit.attempt('a', '2001:db8:1:3::1', right))).toBe('minted');
  });

  it('counts neither successful mints nor refused users', async () => {
    const limit = new MintLimit(new MemoryLimiterStore());
    for (let count = 0; count < 2 * FAILURES_PER_CLIENT; count += 1) {
      expect(await codeOf(limit.attempt('a', '1.1.1.1', right))).toBe('minted');
      await codeOf(limit.attempt('a', '1.1.1.1', refuse('EMBED_USER_DISABLED')));
    }
    expect(await codeOf(limit.attempt('a', '1.1.1.1', right))).toBe('minted');
  });
});

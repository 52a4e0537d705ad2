import { PlatformError } from '@crm/contracts';
import { MemoryLimiterStore } from '@crm/limits';
import { describe, expect, it } from '@jest/globals';
import { FAILURES_PER_ACCOUNT, FAILURES_PER_ADDRESS, SignInLimit } from './sign-in-limit.js';

const wrong = async () => {
  throw new PlatformError('INVALID_CREDENTIALS');
};
const right = async () => 'signed in';
const code = (error: unknown) => (error instanceof PlatformError ? error.code : error);

describe('the limit of failed sign-ins', () => {
  it('refuses an account from one address after ten failures, even with the right password', async () => {
    const limit = new SignInLimit(new MemoryLimiterStore());
    for (let count = 0; count < FAILURES_PER_ACCOUNT; count += 1) {
      expect(code(await limit.attempt('user:a', '1.1.1.1', wrong).catch((error) => error))).toBe('INVALID_CREDENTIALS');
    }
    const refusal = await limit.attempt('user:a', '1.1.1.1', right).catch((error) => error);
    expect(code(refusal)).toBe('RATE_LIMITED');
    expect(refusal.extra.retryAfterSeconds).toBeGreaterThan(0);
  });

  it('does not refuse the account from another address, nor another account from the same address', async () => {
    const limit = new SignInLimit(new MemoryLimiterStore());
    for (let count = 0; count < FAILURES_PER_ACCOUNT; count += 1) {
      await limit.attempt('user:a', '1.1.1.1', wrong).catch(() => undefined);
    }
    await expect(limit.attempt('user:a', '2.2.2.2', right)).resolves.toBe('signed in');
    await expect(limit.attempt('user:b', '1.1.1.1', right)).resolves.toBe('signed in');
  });

  it('refuses an address that fails on many accounts', async () => {
    const limit = new SignInLimit(new MemoryLimiterStore());
    for (let count = 0; count < FAILURES_PER_ADDRESS; count += 1) {
      await limit.attempt(`user:${count}`, '1.1.1.1', wrong).catch(() => undefined);
    }
    expect(code(await limit.attempt('user:new', '1.1.1.1', right).catch((error) => error))).toBe('RATE_LIMITED');
  });

  it('does not count successes', async () => {
    const limit = new SignInLimit(new MemoryLimiterStore());
    const attempts = Array.from({ length: 3 * FAILURES_PER_ACCOUNT }, () => limit.attempt('user:a', '1.1.1.1', right));
    await expect(Promise.all(attempts)).resolves.toHaveLength(3 * FAILURES_PER_ACCOUNT);
  });

  it('allows simultaneous attempts no more tries than consecutive ones', async () => {
    const limit = new SignInLimit(new MemoryLimiterStore());
    const codes = await Promise.all(
      Array.from({ length: 4 * FAILURES_PER_ACCOUNT }, () => limit.attempt('user:a', '1.1.1.1', wrong).catch(code)),
    );
    expect(codes.filter((value) => value === 'INVALID_CREDENTIALS')).toHaveLength(FAILURES_PER_ACCOUNT);
  });

  it('lets a bounded number of attempts on an account from one address wait, and refuses the rest with 503', async () => {
    const limit = new SignInLimit(new MemoryLimiterStore());
    const codes = await Promise.all(
      Array.from({ length: 200 }, () => limit.attempt('user:a', '1.1.1.1', right).catch(code)),
    );
    expect(codes.filter((value) => value === 'SERVICE_UNAVAILABLE')).toHaveLength(200 - 51);
    expect(codes.filter((value) => value === 'signed in')).toHaveLength(51);
    await expect(limit.attempt('user:a', '1.1.1.1', right)).resolves.toBe('signed in');
  });

  it('does not count other errors', async () => {
    const limit = new SignInLimit(new MemoryLimiterStore());
    for (let count = 0; count < 2 * FAILURES_PER_ACCOUNT; count += 1) {
      await limit
        .attempt('user:a', '1.1.1.1', async () => {
          throw new PlatformError('SERVICE_UNAVAILABLE');
        })
        .catch(() => undefined);
    }
    await expect(limit.attempt('user:a', '1.1.1.1', right)).resolves.toBe('signed in');
  });
});

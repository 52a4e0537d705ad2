import { PlatformError } from '@crm/contracts';
import { MemoryLimiterStore } from '@crm/limits';
import { describe, expect, it } from '@jest/globals';
import {
  FAILURES_FROM_ANYWHERE,
  FAILURES_PER_ACCOUNT,
  FAILURES_PER_ADDRESS,
  FAILURES_PER_DEVICE,
  SignInLimit,
} from './guess-limits.js';

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

describe('guesses at the password of an account', () => {
  const anywhere = (index: number) => `203.0.${Math.floor(index / 250)}.${index % 250}`;
  const device = { id: 'known', attempt: right };
  const slowed = async (account = 'user:a') => {
    const limit = new SignInLimit(new MemoryLimiterStore());
    const guesses = Array.from({ length: 200 }, (_, index) =>
      limit.guess(account, anywhere(index), wrong).catch((error) => error),
    );
    return { limit, codes: (await Promise.all(guesses)).map(code) };
  };

  it('are slowed from many addresses together, at once as one by one', async () => {
    const { limit, codes } = await slowed();
    expect(codes.filter((value) => value === 'INVALID_CREDENTIALS')).toHaveLength(FAILURES_FROM_ANYWHERE);
    const refusal = await limit.guess('user:a', '192.0.2.1', right).catch((error) => error);
    expect(code(refusal)).toBe('RATE_LIMITED');
    expect(refusal.message).toContain('set a new password by mail');
    expect(refusal.extra.retryAfterSeconds).toBeLessThanOrEqual(3600 / FAILURES_FROM_ANYWHERE);
  });

  it('leave other accounts alone, and what is not a guess at a password', async () => {
    const { limit } = await slowed();
    await expect(limit.guess('user:b', anywhere(1), right)).resolves.toBe('signed in');
    await expect(limit.attempt('user:a', '192.0.2.1', right)).resolves.toBe('signed in');
  });

  it('do not slow down a known device, whose failures have a bound of their own', async () => {
    const { limit } = await slowed();
    for (let count = 0; count < 2 * FAILURES_PER_DEVICE; count += 1) {
      await expect(limit.guess('user:a', '192.0.2.1', wrong, device)).resolves.toBe('signed in');
    }
    const guessing = { id: 'stolen', attempt: wrong };
    const codes = await Promise.all(
      Array.from({ length: 40 }, (_, index) => limit.guess('user:a', anywhere(index), wrong, guessing).catch(code)),
    );
    expect(codes.filter((value) => value === 'INVALID_CREDENTIALS')).toHaveLength(FAILURES_PER_DEVICE);
    expect(codes.filter((value) => value === 'RATE_LIMITED')).toHaveLength(40 - FAILURES_PER_DEVICE);
    await expect(limit.guess('user:a', '192.0.2.1', wrong, device)).resolves.toBe('signed in');
  });

  it('of others at the same address do not keep a known device out', async () => {
    const limit = new SignInLimit(new MemoryLimiterStore());
    for (let count = 0; count < FAILURES_PER_ADDRESS; count += 1) {
      await limit.guess(count < FAILURES_PER_ACCOUNT ? 'user:a' : `user:${count}`, '1.1.1.1', wrong).catch(code);
    }
    expect(code(await limit.guess('user:a', '1.1.1.1', right).catch((error) => error))).toBe('RATE_LIMITED');
    await expect(limit.guess('user:a', '1.1.1.1', wrong, device)).resolves.toBe('signed in');
  });

  it('are refused as for everybody from a device that is not known to the account', async () => {
    const { limit } = await slowed();
    const stranger = { id: 'stranger', attempt: async () => undefined };
    for (let count = 0; count < 2 * FAILURES_PER_DEVICE; count += 1) {
      const refusal = await limit.guess('user:a', '192.0.2.1', right, stranger).catch((error) => error);
      expect([code(refusal), refusal.extra.limits.at(-1).name]).toEqual(['RATE_LIMITED', 'sign-in-anywhere']);
    }
  });

  it('count nothing for right ones, from however many addresses', async () => {
    const limit = new SignInLimit(new MemoryLimiterStore());
    for (let index = 0; index < 3 * FAILURES_FROM_ANYWHERE; index += 1) {
      await expect(limit.guess('user:a', anywhere(index), right)).resolves.toBe('signed in');
    }
  });
});

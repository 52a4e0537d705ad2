import { PlatformError } from '@crm/contracts';
import { MemoryLimiterStore } from '@crm/limits';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  FAILURES_FROM_ANYWHERE,
  FAILURES_PER_ACCOUNT,
  FAILURES_PER_ADDRESS,
  FAILURES_PER_DEVICE,
  SignInLimit,
} from './guess-limits.js';

const failing = (code: 'INVALID_CREDENTIALS' | 'SERVICE_UNAVAILABLE') => async () => {
  throw new PlatformError(code);
};
const wrong = failing('INVALID_CREDENTIALS');
const right = async () => 'signed in';

let limit: SignInLimit;
beforeEach(() => {
  limit = new SignInLimit(new MemoryLimiterStore());
});

/** What an attempt comes to: the code of a refusal, or its result. */
const said = (attempt: Promise<unknown>) =>
  attempt.catch((error: unknown) => (error instanceof PlatformError ? error.code : error));
/** What attempts that are made at once come to, and how often. */
async function tally(count: number, attempt: (index: number) => Promise<unknown>): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const results = await Promise.all(Array.from({ length: count }, (_, index) => said(attempt(index))));
  for (const result of results) counts[String(result)] = (counts[String(result)] ?? 0) + 1;
  return counts;
}

describe('the limit of failed sign-ins', () => {
  it('refuses the right password after ten failures, but neither from another address nor to another account', async () => {
    const failures = await tally(FAILURES_PER_ACCOUNT, () => limit.attempt('user:a', '1.1.1.1', wrong));
    expect(failures).toEqual({ INVALID_CREDENTIALS: FAILURES_PER_ACCOUNT });
    expect(await said(limit.attempt('user:a', '1.1.1.1', right))).toBe('RATE_LIMITED');
    expect(await said(limit.attempt('user:a', '2.2.2.2', right))).toBe('signed in');
    expect(await said(limit.attempt('user:b', '1.1.1.1', right))).toBe('signed in');
  });

  it('refuses an address that fails on many accounts', async () => {
    for (let count = 0; count < FAILURES_PER_ADDRESS; count += 1) {
      await said(limit.attempt(`user:${count}`, '1.1.1.1', wrong));
    }
    expect(await said(limit.attempt('user:new', '1.1.1.1', right))).toBe('RATE_LIMITED');
  });

  it('does not count successes', async () => {
    const all = 3 * FAILURES_PER_ACCOUNT;
    expect(await tally(all, () => limit.attempt('user:a', '1.1.1.1', right))).toEqual({ 'signed in': all });
  });

  it('allows simultaneous attempts no more tries than consecutive ones', async () => {
    const tries = await tally(4 * FAILURES_PER_ACCOUNT, () => limit.attempt('user:a', '1.1.1.1', wrong));
    expect(tries).toMatchObject({ INVALID_CREDENTIALS: FAILURES_PER_ACCOUNT });
  });

  it('lets a bounded number of attempts on an account from one address wait, and refuses the rest with 503', async () => {
    const counts = await tally(200, () => limit.attempt('user:a', '1.1.1.1', right));
    expect(counts).toEqual({ 'signed in': 51, SERVICE_UNAVAILABLE: 200 - 51 });
    expect(await said(limit.attempt('user:a', '1.1.1.1', right))).toBe('signed in');
  });

  it('does not count other errors', async () => {
    for (let count = 0; count < 2 * FAILURES_PER_ACCOUNT; count += 1) {
      await said(limit.attempt('user:a', '1.1.1.1', failing('SERVICE_UNAVAILABLE')));
    }
    expect(await said(limit.attempt('user:a', '1.1.1.1', right))).toBe('signed in');
  });
});

describe('guesses at the password of an account', () => {
  const anywhere = (index: number) => `203.0.${Math.floor(index / 250)}.${index % 250}`;
  const device = { id: 'known', attempt: right };
  const slowDown = () => tally(200, (index) => limit.guess('user:a', anywhere(index), wrong));

  it('are slowed from many addresses together, at once as one by one', async () => {
    expect(await slowDown()).toMatchObject({ INVALID_CREDENTIALS: FAILURES_FROM_ANYWHERE });
    const refusal = await limit.guess('user:a', '192.0.2.1', right).catch((error) => error);
    expect(refusal).toMatchObject({ code: 'RATE_LIMITED' });
    expect(refusal.message).toContain('reset your password');
    expect(refusal.extra.retryAfterSeconds).toBeLessThanOrEqual(3600 / FAILURES_FROM_ANYWHERE);
  });

  it('leave other accounts alone, and what is not a guess at a password', async () => {
    await slowDown();
    expect(await said(limit.guess('user:b', anywhere(1), right))).toBe('signed in');
    expect(await said(limit.attempt('user:a', '192.0.2.1', right))).toBe('signed in');
  });

  it('do not slow down a known device, whose failures have a bound of their own', async () => {
    await slowDown();
    for (let count = 0; count < 2 * FAILURES_PER_DEVICE; count += 1) {
      expect(await said(limit.guess('user:a', '192.0.2.1', wrong, device))).toBe('signed in');
    }
    const guessing = { id: 'stolen', attempt: wrong };
    const counts = await tally(40, (index) => limit.guess('user:a', anywhere(index), wrong, guessing));
    expect(counts).toEqual({ INVALID_CREDENTIALS: FAILURES_PER_DEVICE, RATE_LIMITED: 40 - FAILURES_PER_DEVICE });
    expect(await said(limit.guess('user:a', '192.0.2.1', wrong, device))).toBe('signed in');
  });

  it('of others at the same address do not keep a known device out', async () => {
    for (let count = 0; count < FAILURES_PER_ADDRESS; count += 1) {
      await said(limit.guess(count < FAILURES_PER_ACCOUNT ? 'user:a' : `user:${count}`, '1.1.1.1', wrong));
    }
    expect(await said(limit.guess('user:a', '1.1.1.1', right))).toBe('RATE_LIMITED');
    expect(await said(limit.guess('user:a', '1.1.1.1', wrong, device))).toBe('signed in');
  });

  it('are refused as for everybody from a device that is not known to the account', async () => {
    await slowDown();
    const stranger = { id: 'stranger', attempt: async () => undefined };
    for (let count = 0; count < 2 * FAILURES_PER_DEVICE; count += 1) {
      const refusal = await limit.guess('user:a', '192.0.2.1', right, stranger).catch((error) => error);
      expect([refusal.code, refusal.extra.limits.at(-1).name]).toEqual(['RATE_LIMITED', 'sign-in-anywhere']);
    }
  });

  it('count nothing for right ones, from however many addresses', async () => {
    for (let index = 0; index < 3 * FAILURES_FROM_ANYWHERE; index += 1) {
      expect(await said(limit.guess('user:a', anywhere(index), right))).toBe('signed in');
    }
  });
});

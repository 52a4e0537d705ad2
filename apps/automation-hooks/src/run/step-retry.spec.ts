import { PlatformError } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import { MAX_ATTEMPTS, mayPass, STEP_BACKOFF } from './run.retry.js';

describe('a failed step', () => {
  it.each([
    'SERVICE_UNAVAILABLE',
    'DEADLINE_EXCEEDED',
    'INTERNAL_ERROR',
    'RATE_LIMITED',
    'IDEMPOTENCY_KEY_IN_USE',
    'TOKEN_REVOKED',
    'TOKEN_EXPIRED',
  ] as const)('is tried again after %s', (code) => {
    expect(mayPass(new PlatformError(code))).toBe(true);
  });

  it.each(['VALIDATION_FAILED', 'FORBIDDEN', 'NOT_FOUND', 'REFERENCE_NOT_FOUND', 'UNIQUE_VIOLATION'] as const)(
    'stays failed after %s',
    (code) => {
      expect(mayPass(new PlatformError(code))).toBe(false);
    },
  );

  it('is tried again later and later', () => {
    const delays = Array.from({ length: MAX_ATTEMPTS - 1 }, (_value, index) => STEP_BACKOFF.delayMs(index + 1));
    for (const [index, delay] of delays.entries()) {
      if (index > 0) expect(delay).toBeGreaterThan((delays[index - 1] as number) * 1.2);
    }
    expect(delays.reduce((sum, delay) => sum + delay, 0)).toBeGreaterThan(10 * 60_000);
  });
});

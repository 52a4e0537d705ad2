import { PlatformError } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import { isRetryable, MAX_ATTEMPTS, STEP_BACKOFF } from './step.js';

describe('the retries of a step', () => {
  it.each([
    'SERVICE_UNAVAILABLE',
    'DEADLINE_EXCEEDED',
    'INTERNAL_ERROR',
    'RATE_LIMITED',
    'IDEMPOTENCY_KEY_IN_USE',
    'TOKEN_REVOKED',
    'TOKEN_EXPIRED',
    'WORKSPACE_SUSPENDED',
  ] as const)('repeat a step that failed with %s', (code) => {
    expect(isRetryable(new PlatformError(code))).toBe(true);
  });

  it.each(['VALIDATION_FAILED', 'FORBIDDEN', 'NOT_FOUND', 'UNIQUE_VIOLATION'] as const)(
    'do not repeat a step that failed with %s',
    (code) => {
      expect(isRetryable(new PlatformError(code))).toBe(false);
    },
  );

  it('come after longer and longer delays, more than ten minutes in all', () => {
    const delays = Array.from({ length: MAX_ATTEMPTS - 1 }, (_value, index) => STEP_BACKOFF.delayMs(index + 1));
    for (const [index, delay] of delays.entries()) {
      if (index > 0) expect(delay).toBeGreaterThan((delays[index - 1] as number) * 1.2);
    }
    expect(delays.reduce((sum, delay) => sum + delay, 0)).toBeGreaterThan(10 * 60_000);
  });
});

import { isUuid, PlatformError } from '@crm/contracts';
import { newId } from '@crm/database';
import { describe, expect, it } from '@jest/globals';
import { isRetryable, MAX_ATTEMPTS, STEP_BACKOFF, stepId } from './step.js';

it('gives a step the same id each time it is executed, and other steps other ids', () => {
  const run = newId();
  expect(stepId(run, 1)).toBe(stepId(run, 1));
  expect(isUuid(stepId(run, 1))).toBe(true);
  expect(new Set([stepId(run, 0), stepId(run, 1), stepId(newId(), 1)]).size).toBe(3);
});

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

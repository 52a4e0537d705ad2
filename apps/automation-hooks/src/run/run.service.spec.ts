import { isUuid, PlatformError } from '@crm/contracts';
import { newId } from '@crm/database';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { shownWhenSlow } from './run.worker.js';
import { isRetryable, MAX_ATTEMPTS, STEP_BACKOFF, stepId } from './step.js';

it('gives a step the same id each time it is executed, and other steps other ids', () => {
  const run = newId();
  expect(stepId(run, 1)).toBe(stepId(run, 1));
  expect(isUuid(stepId(run, 1))).toBe(true);
  expect(new Set([stepId(run, 0), stepId(run, 1), stepId(newId(), 1)]).size).toBe(3);
});

describe('the retries of a step', () => {
  it.each([
    ...(['SERVICE_UNAVAILABLE', 'DEADLINE_EXCEEDED', 'INTERNAL_ERROR', 'RATE_LIMITED'] as const),
    ...(['IDEMPOTENCY_KEY_IN_USE', 'TOKEN_REVOKED', 'TOKEN_EXPIRED', 'WORKSPACE_SUSPENDED'] as const),
  ])('repeat a step that failed with %s', (code) => expect(isRetryable(new PlatformError(code))).toBe(true));

  it.each(['VALIDATION_FAILED', 'FORBIDDEN', 'NOT_FOUND', 'UNIQUE_VIOLATION'] as const)(
    'do not repeat a step that failed with %s',
    (code) => expect(isRetryable(new PlatformError(code))).toBe(false),
  );

  it('come after longer and longer delays, more than ten minutes in all', () => {
    const delays = Array.from({ length: MAX_ATTEMPTS - 1 }, (_value, index) => STEP_BACKOFF.delayMs(index + 1));
    for (const [index, delay] of delays.entries()) {
      if (index > 0) expect(delay).toBeGreaterThan((delays[index - 1] as number) * 1.2);
    }
    expect(delays.reduce((sum, delay) => sum + delay, 0)).toBeGreaterThan(10 * 60_000);
  });
});

describe('work that is shown when it is slow', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('is not shown when it ends soon, or fails soon', async () => {
    const show = jest.fn(async () => undefined);
    expect(await shownWhenSlow(show, async () => 'done')).toBe('done');
    const failing = shownWhenSlow(show, async () => Promise.reject(new Error('refused')));
    await expect(failing).rejects.toThrow('refused');
    await jest.advanceTimersByTimeAsync(1_000);
    expect(show).not.toHaveBeenCalled();
  });

  it('is shown once after 100 ms, and ends only when it has been shown', async () => {
    const order: string[] = [];
    const show = async () => {
      order.push('show');
      await new Promise((resolve) => setTimeout(resolve, 500));
      order.push('shown');
    };
    const work = () => new Promise((resolve) => setTimeout(resolve, 300));
    const ended = shownWhenSlow(show, work).then(() => order.push('ended'));
    await jest.advanceTimersByTimeAsync(99);
    expect(order).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(order).toEqual(['show']);
    await jest.advanceTimersByTimeAsync(1_000);
    await ended;
    expect(order).toEqual(['show', 'shown', 'ended']);
  });
});

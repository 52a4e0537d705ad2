import { describe, expect, it } from '@jest/globals';
import type { AttemptOutcome } from '../receivers/attempt-outcome.js';
import { afterAttempt, afterAttemptOfHead } from './delivery-state.js';

const at = new Date('2026-11-21T10:00:00Z');
const DELAYS = [0, 1_000, 60_000];

const outcome = (changes: Partial<AttemptOutcome>): AttemptOutcome => ({
  at,
  latencyMs: 12,
  httpStatus: null,
  error: null,
  responseExcerpt: null,
  retryAfterMs: null,
  ...changes,
});

const failure = (code: NonNullable<AttemptOutcome['error']>['code'], changes: Partial<AttemptOutcome> = {}) =>
  outcome({ error: { code, message: 'no' }, ...changes });

describe('the state of a delivery after an attempt', () => {
  it('is delivered when the receiver accepts', () => {
    expect(afterAttempt(DELAYS, 1, outcome({ httpStatus: 204 }), 0.5).status).toBe('delivered');
  });

  it('is retrying, with the delay counted from the attempt', () => {
    const next = afterAttempt(DELAYS, 1, failure('http_5xx', { httpStatus: 503 }), 0.5);
    const nextAttemptAt = new Date('2026-11-21T10:00:01Z');
    expect(next).toEqual({ status: 'retrying', nextAttemptAt, disables: false, isSetAside: false });
  });

  it('respects Retry-After', () => {
    const next = afterAttempt(DELAYS, 1, failure('http_4xx', { httpStatus: 429, retryAfterMs: 30_000 }), 0.5);
    expect(next.nextAttemptAt).toEqual(new Date('2026-11-21T10:00:30Z'));
  });

  it('is failed after the last attempt', () => {
    expect(afterAttempt(DELAYS, 3, failure('connect'), 0.5)).toMatchObject({ status: 'failed', nextAttemptAt: null });
  });

  it('is blocked when the address policy refuses the last attempt', () => {
    expect(afterAttempt(DELAYS, 3, failure('blocked'), 0.5).status).toBe('blocked');
    expect(afterAttempt(DELAYS, 1, failure('blocked'), 0.5).status).toBe('retrying');
  });

  it('is held at once on 410, which disables the subscription', () => {
    expect(afterAttempt(DELAYS, 1, failure('http_4xx', { httpStatus: 410 }), 0.5)).toMatchObject({
      status: 'held',
      nextAttemptAt: null,
      disables: true,
    });
  });

  it('is failed at once on 410 from the receiver of a removed subscription, which can hold nothing', () => {
    const next = afterAttempt(DELAYS, 1, failure('http_4xx', { httpStatus: 410 }), 0.5, false);
    expect(next).toEqual({ status: 'failed', nextAttemptAt: null, disables: false, isSetAside: false });
  });

  it('is retrying after a redirect, which is a failure', () => {
    expect(afterAttempt(DELAYS, 1, failure('redirect', { httpStatus: 302 }), 0.5).status).toBe('retrying');
  });
});

describe('the state of the head of a line after an attempt', () => {
  const LONG = [0, 1_000, 60_000, 60_000, 60_000];
  const after = (attempts: number, onStall: 'skip' | 'hold', delays = LONG, failed = failure('http_5xx')) =>
    afterAttemptOfHead(delays, attempts, failed, 0.5, onStall);

  it('is set aside after its third failed attempt with `skip`, and retrying before', () => {
    expect([1, 2].map((attempts) => after(attempts, 'skip'))).toMatchObject([
      { status: 'retrying', isSetAside: false },
      { status: 'retrying', isSetAside: false },
    ]);
    expect(after(3, 'skip')).toEqual({ status: 'failed', nextAttemptAt: null, disables: false, isSetAside: true });
    expect(after(3, 'skip', LONG, failure('blocked'))).toMatchObject({ status: 'blocked', isSetAside: true });
  });

  it('is set aside after each further attempt, which somebody asked for', () => {
    expect(after(4, 'skip')).toMatchObject({ status: 'failed', isSetAside: true });
  });

  it('is retrying until its last attempt with `hold`', () => {
    expect(after(4, 'hold')).toMatchObject({ status: 'retrying', isSetAside: false });
    expect(after(5, 'hold')).toMatchObject({ status: 'failed', isSetAside: false });
  });

  it('is not set aside when the schedule or the receiver ends it, or when it is delivered', () => {
    expect(after(3, 'skip', DELAYS)).toMatchObject({ status: 'failed', isSetAside: false });
    const gone = failure('http_4xx', { httpStatus: 410 });
    expect(after(3, 'skip', LONG, gone)).toMatchObject({ disables: true, isSetAside: false });
    expect(after(3, 'skip', LONG, outcome({ httpStatus: 200 }))).toMatchObject({
      status: 'delivered',
      isSetAside: false,
    });
  });
});

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type AttemptOutcome, readRetryAfter } from '../receivers/attempt-outcome.js';
import {
  afterAttempt,
  afterAttemptOfHead,
  DEFAULT_RETRY_DELAYS_MS,
  delayBeforeNext,
  parseDelays,
} from './retry-policy.js';

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

describe('the retry schedule', () => {
  it('makes ten attempts over about three days', () => {
    expect(DEFAULT_RETRY_DELAYS_MS).toHaveLength(10);
    const total = DEFAULT_RETRY_DELAYS_MS.reduce((sum, delay) => sum + delay, 0);
    expect(total / 3_600_000).toBeCloseTo(75.6, 0);
  });

  it('varies a delay by at most a fifth', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (attempts, random) => {
          const base = DEFAULT_RETRY_DELAYS_MS[attempts] as number;
          const delay = delayBeforeNext(DEFAULT_RETRY_DELAYS_MS, attempts, null, random) as number;
          expect(delay).toBeGreaterThanOrEqual(Math.floor(base * 0.8));
          expect(delay).toBeLessThanOrEqual(Math.ceil(base * 1.2));
        },
      ),
    );
  });

  it('has no delay after the last attempt', () => {
    expect(delayBeforeNext(DEFAULT_RETRY_DELAYS_MS, 10, null, 0.5)).toBeNull();
  });

  it('waits longer when the receiver asks', () => {
    expect(delayBeforeNext([0, 1000], 1, 60_000, 0.5)).toBe(60_000);
    expect(delayBeforeNext([0, 1000], 1, 10, 0.5)).toBe(1000);
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-11-21T10:00:00Z');
  it.each([
    ['120', 120_000],
    ['Sat, 21 Nov 2026 10:00:30 GMT', 30_000],
    ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
    ['999999999', 86_400_000],
    ['Fri, 31 Dec 2027 09:00:00 GMT', 86_400_000],
    [['5', '60'], 5_000],
    ['soon', null],
    [undefined, null],
  ])('reads Retry-After %s as %s ms', (header, expected) => {
    expect(readRetryAfter(header, now)).toBe(expected);
  });
});

describe('a configured schedule', () => {
  it('reads delays in milliseconds, seconds, minutes and hours', () => {
    expect(parseDelays('0s, 500ms,5s,5m,2h')).toEqual([0, 500, 5000, 300_000, 7_200_000]);
  });

  it.each(['', '5', '5d', '-1s', '1s,,2s'])('refuses the schedule %j', (text) => {
    expect(() => parseDelays(text)).toThrow('WEBHOOK_RETRY_DELAYS');
  });
});

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

describe('the state of the head of a partition after an attempt', () => {
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

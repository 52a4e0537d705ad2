import { isUuid } from '@crm/contracts';
import { newId } from '@crm/database';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DEFAULT_RETRY_DELAYS_MS, parseDelays } from '../config.js';
import type { AttemptOutcome } from '../receivers/receiver.js';
import { afterAttempt, afterAttemptOfHead, delayBeforeNext, deliveryId } from './attempt.js';

describe('the id of a delivery', () => {
  it('is a UUIDv7 with the time of the event, the same for the same two and another for any other', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), (one, other) => {
        fc.pre(one !== other);
        const event = newId();
        const id = deliveryId(event, one);
        expect(isUuid(id)).toBe(true);
        expect(id.slice(0, 13)).toBe(event.slice(0, 13));
        expect(id).toMatch(/^.{14}7.{4}[89ab]/);
        expect(deliveryId(event.toUpperCase(), one)).toBe(id);
        for (const another of [deliveryId(event, other), deliveryId(newId(), one)]) expect(another).not.toBe(id);
      }),
    );
  });
});

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
    const randoms = fc.double({ min: 0, max: 0.999, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), randoms, (attempts, random) => {
        const base = DEFAULT_RETRY_DELAYS_MS[attempts] as number;
        const delay = delayBeforeNext(DEFAULT_RETRY_DELAYS_MS, attempts, null, random) as number;
        expect(delay).toBeGreaterThanOrEqual(Math.floor(base * 0.8));
        expect(delay).toBeLessThanOrEqual(Math.ceil(base * 1.2));
      }),
    );
  });

  it('has no delay after the last attempt, and a longer one when the receiver asks', () => {
    expect(delayBeforeNext(DEFAULT_RETRY_DELAYS_MS, 10, null, 0.5)).toBeNull();
    expect(delayBeforeNext([0, 1000], 1, 60_000, 0.5)).toBe(60_000);
    expect(delayBeforeNext([0, 1000], 1, 10, 0.5)).toBe(1000);
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

const throttled = failure('http_4xx', { httpStatus: 429 });
const gone = failure('http_4xx', { httpStatus: 410 });

describe('the state of a delivery after an attempt', () => {
  const END = { nextAttemptAt: null, isSetAside: false };
  const again = (ms: number) => ({ ...END, status: 'retrying', nextAttemptAt: new Date(at.getTime() + ms) });

  it.each([
    ['delivered when the receiver accepts', 1, outcome({ httpStatus: 204 }), { ...END, status: 'delivered' }],
    ['retrying, with the delay counted from the attempt', 1, failure('http_5xx', { httpStatus: 503 }), again(1_000)],
    ['retrying when Retry-After is over', 1, failure('http_4xx', { retryAfterMs: 30_000 }), again(30_000)],
    ['retrying after a redirect, which is a failure', 1, failure('redirect', { httpStatus: 302 }), again(1_000)],
    ['failed after the last attempt', 3, failure('connect'), { ...END, status: 'failed' }],
    ['retrying when the address policy refuses it', 1, failure('blocked'), again(1_000)],
    ['retrying as before when the receiver asks for fewer requests', 2, throttled, again(1_000)],
    ['retrying when it does so at the first attempt', 1, throttled, again(1_000)],
    ['retrying when it does so at the last attempt', 9, throttled, again(60_000)],
    ['blocked when the address policy refuses the last attempt', 3, failure('blocked'), { ...END, status: 'blocked' }],
    ['held at once on 410', 1, gone, { ...END, status: 'held' }],
  ])('is %s', (_, attempts, result, state) => {
    expect(afterAttempt(DELAYS, attempts, result, 0.5)).toEqual(state);
  });

  it('is failed at once on 410 from the receiver of a removed subscription, which can hold nothing', () => {
    expect(afterAttempt(DELAYS, 1, gone, 0.5, false)).toEqual({ ...END, status: 'failed' });
  });
});

describe('the state of the head of a partition after an attempt', () => {
  const LONG = [0, 1_000, 60_000, 60_000, 60_000];

  it.each([
    ['retrying before its third failed attempt', 'skip', 2, LONG, failure('http_5xx'), 'retrying', false],
    ['set aside after its third failed attempt', 'skip', 3, LONG, failure('http_5xx'), 'failed', true],
    ['set aside as blocked', 'skip', 3, LONG, failure('blocked'), 'blocked', true],
    ['set aside after each further attempt by hand', 'skip', 4, LONG, failure('http_5xx'), 'failed', true],
    ['retrying until its last attempt', 'hold', 4, LONG, failure('http_5xx'), 'retrying', false],
    ['failed after its last attempt', 'hold', 5, LONG, failure('http_5xx'), 'failed', false],
    ['not set aside when the schedule ends it', 'skip', 3, DELAYS, failure('http_5xx'), 'failed', false],
    ['not set aside when the receiver ends it', 'skip', 3, LONG, gone, 'held', false],
    ['not set aside when the receiver asks for fewer requests', 'skip', 3, LONG, throttled, 'retrying', false],
    ['not set aside when it is delivered', 'skip', 3, LONG, outcome({ httpStatus: 200 }), 'delivered', false],
  ] as const)('is %s with `%s`', (_, onStall, attempts, delays, result, status, isSetAside) => {
    expect(afterAttemptOfHead(delays, attempts, result, 0.5, onStall)).toMatchObject({ status, isSetAside });
  });
});

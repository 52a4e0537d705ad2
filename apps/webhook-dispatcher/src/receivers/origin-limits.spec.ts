import { beforeEach, describe, expect, it } from '@jest/globals';
import { OriginLimits } from './origin-limits.js';
import type { AttemptOutcome } from './receiver.js';

const ORIGIN = 'https://shared.example';
const at = (tenantId: string, subscriptionId: string) => ({ tenantId, subscriptionId, origin: ORIGIN });
const [ONE, OTHER, HEALTHY] = [at('a', 'one'), at('a', 'other'), at('b', 'healthy')];
type Failure = NonNullable<AttemptOutcome['error']>;

const ended = (httpStatus: number | null, error: Failure | null): AttemptOutcome => ({
  ...{ at: new Date(), latencyMs: 1, responseExcerpt: null, retryAfterMs: null },
  ...{ httpStatus, error },
});
const OK = ended(204, null);
const failed = (code: Failure['code'], phase?: Failure['phase'], httpStatus: number | null = null) =>
  ended(httpStatus, phase ? { code, phase, message: '' } : { code, message: '' });
const REFUSED = failed('connect', 'connect');

let origins: OriginLimits;
beforeEach(() => {
  origins = new OriginLimits(16);
});
const attempt = (of: typeof ONE, outcome: AttemptOutcome, now = 0, times = 1) => {
  for (let count = 0; count < times; count += 1) {
    origins.begun(of);
    origins.left(of);
    origins.judge(of, outcome, now);
  }
};
/** Five in a row count, because those of one receiver alone do not. */
const fail = (outcome: AttemptOutcome, now = 0) => {
  for (const receiver of [ONE, OTHER, ONE, OTHER, ONE, OTHER]) attempt(receiver, outcome, now);
};

describe('an origin', () => {
  it.each([
    ['is not looked up', failed('dns', 'dns'), true],
    ['does not accept connections', REFUSED, true],
    ['accepts none in time', failed('timeout_connect', 'connect'), true],
    ['has no valid certificate', failed('tls', 'tls'), true],
    ['breaks handshakes', failed('reset', 'tls'), true],
    ['has a receiver that never answers', failed('timeout_headers', 'headers'), false],
    ['has a receiver that answers by halves', failed('timeout_body', 'body'), false],
    ['has a receiver that hangs up', failed('reset', 'headers'), false],
    ['has a receiver that fails', failed('http_5xx', undefined, 500), false],
    ['has a receiver at a refused address', failed('blocked', 'policy'), false],
    ['has a receiver with a secret that nobody can read', failed('unreadable_secret'), false],
  ])('that %s', (_, outcome, isPaused) => {
    fail(outcome);
    expect(origins.isPaused(ORIGIN, 0)).toBe(isPaused);
    expect(origins.freeSlots(HEALTHY, 0)).toBe(isPaused ? 0 : 8);
  });

  it('is not paused for what a single receiver sees', () => {
    attempt(ONE, REFUSED, 0, 20);
    expect(origins.freeSlots(HEALTHY, 0)).toBe(8);
  });

  it('is not paused when it was reached lately', () => {
    attempt(HEALTHY, OK);
    fail(REFUSED, 9_999);
    expect(origins.freeSlots(HEALTHY, 9_999)).toBe(8);
    fail(REFUSED, 10_000);
    expect(origins.freeSlots(HEALTHY, 10_000)).toBe(0);
  });

  it('is tried after a pause by the receiver that last succeeded, and a second later by any', () => {
    attempt(HEALTHY, OK);
    fail(REFUSED, 10_000);
    const end = origins.nextOpening(10_000) as number;
    const freeSlots = (now: number) => [ONE, HEALTHY].map((of) => origins.freeSlots(of, now));
    expect(freeSlots(end - 1)).toEqual([0, 0]);
    expect(freeSlots(end)).toEqual([0, 1]);
    expect(origins.narrowed(4, end).get('one')).toBe(0);
    expect(origins.nextOpening(end)).toBe(end + 1_000);
    expect(freeSlots(end + 1_000)).toEqual([1, 1]);
    attempt(ONE, failed('timeout_headers', 'headers'), end + 1_000);
    expect(freeSlots(end + 1_000)).toEqual([1, 1]);
    expect(origins.isPaused(ORIGIN, end + 1_000)).toBe(false);
  });

  it('keeps slots for others, no matter who takes the rest, also when its limit has grown', () => {
    const begin = () => {
      let count = 0;
      for (; origins.freeSlots(ONE, 0) > 0; count += 1) origins.begun(ONE);
      return count;
    };
    expect(begin()).toBe(8);
    expect([origins.freeSlots(OTHER, 0), origins.freeSlots(HEALTHY, 0)]).toEqual([0, 4]);
    expect(origins.isFull(ORIGIN, 0)).toBe(true);
    attempt(HEALTHY, OK);
    expect(origins.narrowed(4, 0)).toEqual(new Map([['one', 0]]));
    origins.left(ONE);
    expect([origins.freeSlots(OTHER, 0), origins.isFull(ORIGIN, 0)]).toEqual([1, false]);
  });

  it('is forgotten ten minutes after its last attempt', () => {
    attempt(ONE, REFUSED);
    fail(REFUSED);
    expect(origins.narrowed(4, 0).size).toBe(2);
    expect([origins.narrowed(4, 700_000).size, origins.nextOpening(700_000)]).toEqual([0, null]);
    expect(origins.freeSlots(ONE, 700_000)).toBe(16);
  });
});

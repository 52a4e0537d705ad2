import type { Database } from '@crm/database';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SubscriptionQueueSignal } from '../queue/queue-signals.js';
import type { SubscriptionRepository } from '../subscriptions/subscription.repository.js';
import { RateLimits } from './rate-limits.js';
import { hasFailedTooLong, isInNewHour } from './receiver-health.js';

const target = (rateLimit: number | null) => ({ tenantId: 't', subscriptionId: 's', rateLimit });

describe('the rate of a receiver', () => {
  /** The answer of the database, and the requests to it. */
  let beginsInMs: number | null;
  let reserved: number[];
  let told: number;
  let rates: RateLimits;
  beforeEach(() => {
    jest.useFakeTimers();
    beginsInMs = 0;
    reserved = [];
    told = 0;
    const database = { transaction: (_tenant: string, work: (tx: object) => unknown) => work({}) };
    const subscriptions = {
      reservePermits: async (_tx: object, _id: string, ms: number) => {
        reserved.push(ms);
        return beginsInMs;
      },
    };
    rates = new RateLimits(
      database as unknown as Database,
      subscriptions as unknown as SubscriptionRepository,
      new SubscriptionQueueSignal(),
    );
    rates.onPermit(() => {
      told += 1;
    });
  });
  afterEach(() => void jest.useRealTimers());
  const available = (rate: number | null) => rates.available(target(rate), performance.now());
  const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

  it('is not asked about when there is none, and otherwise reserves as many as a quarter of a second has', async () => {
    expect([available(null), reserved]).toEqual([Number.POSITIVE_INFINITY, []]);
    expect(available(20)).toBe(0);
    await pass(0);
    expect([reserved, told]).toEqual([[250], 1]);
    expect(available(20)).toBe(1);
    rates.begun(target(20));
    expect(available(20)).toBe(0);
    expect(rates.nextOpening(performance.now())).toBe(performance.now() + 50);
    await pass(50);
    expect(told).toBe(2);
    expect(available(20)).toBe(1);
    await pass(75);
    expect(rates.narrowed(performance.now())).toEqual(new Map([['s', 2]]));
  });

  it('reserves more when all permits are used, behind those of others', async () => {
    available(4);
    await pass(0);
    beginsInMs = 600;
    rates.begun(target(4));
    await pass(0);
    expect(reserved).toEqual([250, 250]);
    expect(rates.nextOpening(performance.now())).toBe(performance.now() + 600);
    await pass(600);
    expect(available(4)).toBe(1);
  });

  it('is not changed by a clock that jumps ahead and back', async () => {
    const jump = (days: number) => jest.setSystemTime(Date.now() + days * 24 * 3_600_000);
    jump(30);
    available(4);
    await pass(0);
    jump(-30);
    expect(available(4)).toBe(1);
  });

  it('asks again when others have all permits', async () => {
    beginsInMs = null;
    available(1);
    await pass(0);
    available(1);
    expect([reserved.length, rates.narrowed(performance.now())]).toEqual([1, new Map([['s', 0]])]);
    beginsInMs = 0;
    await pass(500);
    available(1);
    await pass(0);
    expect([reserved.length, available(1)]).toEqual([2, 1]);
  });

  it('drops permits that nobody used within a second, and forgets the receiver', async () => {
    available(20);
    await pass(0);
    await pass(1_100);
    expect(available(20)).toBe(3);
    await pass(200);
    expect(rates.narrowed(performance.now())).toEqual(new Map());
  });

  it('counts from the beginning when the rate is changed', async () => {
    available(4);
    await pass(0);
    expect(available(100)).toBe(0);
    await pass(0);
    expect(reserved).toEqual([250, 250]);
    await pass(30);
    expect(available(100)).toBe(4);
  });
});

const at = (time: string) => new Date(`2026-03-${time}Z`);
const since = at('01T09:30:00');
const failures = (failingHours: number, failingSince: Date | null = since) => {
  return { failingSince, failedAt: failingSince, failingHours };
};

describe('the limit of failures', () => {
  it.each([
    ['is reached after more than five days with failures in five hours', failures(5), '06T09:30:01', true],
    ['is not reached in five days, however many failures they have', failures(120), '06T09:30:00', false],
    ['is not reached by failures in fewer than five hours', failures(4), '20T09:30:00', false],
    ['is not reached by a receiver that has not failed', failures(0, null), '20T09:30:00', false],
  ])('%s', (_, known, time, isReached) => {
    expect(hasFailedTooLong(known, at(time))).toBe(isReached);
  });

  it('counts hours of the clock', () => {
    const known = failures(1);
    expect(isInNewHour(known, at('01T09:59:59'))).toBe(false);
    expect(isInNewHour(known, at('01T10:00:00'))).toBe(true);
    // A slow attempt that began before.
    expect(isInNewHour(known, at('01T08:59:59'))).toBe(false);
    expect(isInNewHour({ ...known, failedAt: null }, at('01T09:30:00'))).toBe(true);
  });
});

import { PlatformError } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import {
  delayAfterOutage,
  isTransient,
  isUnrecoverable,
  REDELIVERY_DELAYS_MS,
  redeliveryDelay,
} from './received-event.js';

describe('redelivery', () => {
  it('has increasing delays, and then a constant one', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 50].map((delivery) => redeliveryDelay(REDELIVERY_DELAYS_MS, delivery));
    expect(delays).toEqual([1_000, 5_000, 30_000, 60_000, 120_000, 300_000, 300_000, 300_000]);
  });

  it.each([
    ['at once', 1, 0, 1_000],
    ['in the third outage within four seconds', 3, 4_000, 4_000],
    // The broker reads whole nanoseconds only, and delivers again at once where it reads no delay.
    ['for a time with a fraction', 3, 4_000.123_456_789, 4_001],
    ['in the sixth outage within a minute', 6, 60_000, 60_000],
    ['in an outage of an hour', 12, 3_600_000, 300_000],
  ])('waits no longer than the event has waited, when something was unavailable %s', (_, delivery, ageMs, expected) => {
    expect(delayAfterOutage(REDELIVERY_DELAYS_MS, delivery, ageMs)).toBe(expected);
  });

  it.each([
    [new PlatformError('SERVICE_UNAVAILABLE'), true],
    [new PlatformError('DEADLINE_EXCEEDED'), true],
    [Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), true],
    [Object.assign(new Error('x'), { code: '57P01' }), true],
    [Object.assign(new Error('disk full'), { code: '53100' }), true],
    [new PlatformError('DEADLINE_EXCEEDED', 'too slow', { cause: { code: '57014' } }), false],
    [new PlatformError('SERVICE_UNAVAILABLE', 'too big', { cause: { code: '53200' } }), false],
    [new PlatformError('SERVICE_UNAVAILABLE', 'disk full', { cause: { code: '53100' } }), true],
    [Object.assign(new Error('cancelled'), { code: '57014' }), false],
    [new PlatformError('NOT_FOUND'), false],
    [Object.assign(new Error('x'), { code: '23505' }), false],
    [new TypeError('x is undefined'), false],
    ['text', false],
  ])('takes %s for transient: %s', (error, expected) => {
    expect(isTransient(error)).toBe(expected);
  });

  it('is abandoned for an event that is delivered again and again', () => {
    expect([isUnrecoverable(200, 10), isUnrecoverable(201, 10)]).toEqual([false, true]);
  });
});

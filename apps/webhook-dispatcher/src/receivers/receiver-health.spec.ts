import { describe, expect, it } from '@jest/globals';
import { hasFailedTooLong, isInNewHour } from './receiver-health.js';

const at = (time: string) => new Date(`2026-03-${time}Z`);
const failures = (failingHours: number) => ({
  failingSince: at('01T09:30:00'),
  failedAt: at('01T09:30:00'),
  failingHours,
});

describe('the limit of failures', () => {
  it.each([
    ['is reached after more than five days with failures in five hours', 5, '06T09:30:01', true],
    ['is not reached in five days, however many failures they have', 120, '06T09:30:00', false],
    ['is not reached by failures in fewer than five hours', 4, '20T09:30:00', false],
  ])('%s', (_, hours, time, isReached) => {
    expect(hasFailedTooLong(failures(hours), at(time))).toBe(isReached);
  });

  it('is not reached by a receiver that has not failed', () => {
    expect(hasFailedTooLong({ failingSince: null, failedAt: null, failingHours: 0 }, at('20T09:30:00'))).toBe(false);
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

import { describe, expect, it } from '@jest/globals';
import { RELATIVE_DATES, spanOf } from './relative-date.js';

/** A Thursday, and in Auckland a Friday already. */
const NOW = new Date('2026-11-26T12:30:00Z');
const BERLIN = { now: NOW, timeZone: 'Europe/Berlin' };

describe('a relative date', () => {
  it.each([
    ['today', '2026-11-26', '2026-11-27'],
    ['yesterday', '2026-11-25', '2026-11-26'],
    ['tomorrow', '2026-11-27', '2026-11-28'],
    ['thisWeek', '2026-11-23', '2026-11-30'],
    ['lastWeek', '2026-11-16', '2026-11-23'],
    ['nextWeek', '2026-11-30', '2026-12-07'],
    ['thisMonth', '2026-11-01', '2026-12-01'],
    ['nextMonth', '2026-12-01', '2027-01-01'],
    ['lastMonth', '2026-10-01', '2026-11-01'],
    ['thisQuarter', '2026-10-01', '2027-01-01'],
    ['lastQuarter', '2026-07-01', '2026-10-01'],
    ['nextQuarter', '2027-01-01', '2027-04-01'],
    ['thisYear', '2026-01-01', '2027-01-01'],
    ['lastYear', '2025-01-01', '2026-01-01'],
    ['nextYear', '2027-01-01', '2028-01-01'],
    [{ days: -7 }, '2026-11-19', '2026-11-20'],
    [{ days: 30 }, '2026-12-26', '2026-12-27'],
  ])('%j is from %s to before %s', (relative, from, to) => {
    expect(spanOf(relative, 'date', BERLIN)).toEqual({ from, to });
  });

  it('is one of those that are named here, or a number of days', () => {
    for (const name of RELATIVE_DATES) expect(spanOf(name, 'date', BERLIN)).toBeDefined();
    const wrongDays = [{}, { days: 1.5 }, { days: 40_000 }, { days: 1, weeks: 1 }];
    for (const other of ['now', 'thisDay', 'toString', '', null, 7, ...wrongDays]) {
      expect(spanOf(other, 'date', BERLIN)).toBeUndefined();
    }
  });

  it('is that of the time zone', () => {
    expect(spanOf('today', 'date', { now: NOW, timeZone: 'Pacific/Auckland' })?.from).toBe('2026-11-27');
    expect(spanOf('today', 'datetime', BERLIN)).toEqual({ from: '2026-11-25T23:00:00Z', to: '2026-11-26T23:00:00Z' });
    // The clocks change twice in this year.
    expect(spanOf('thisYear', 'datetime', { ...BERLIN, now: new Date('2026-07-01T00:00:00Z') })).toEqual({
      from: '2025-12-31T23:00:00Z',
      to: '2026-12-31T23:00:00Z',
    });
    expect(
      spanOf({ days: 0 }, 'datetime', { now: new Date('2026-03-29T12:00:00Z'), timeZone: 'Europe/Berlin' }),
    ).toEqual({
      from: '2026-03-28T23:00:00Z',
      to: '2026-03-29T22:00:00Z',
    });
  });
});

import { describe, expect, it, jest } from '@jest/globals';
import { eachSource, evaluate, FIELDS } from '../test/evaluate.js';
import { dayNumber, formatDate, formatInstant, isTimeZone, parseDate, parseInstant, timeZone } from './calendar.js';
import { compileFormula } from './compile.js';

// Many runs on a machine that may be busy with other test files.
jest.setTimeout(60_000);

const at = (text: string) => new Date(text);

describe('TODAY is the date in the time zone', () => {
  it.each([
    ['2024-02-29T12:00:00Z', 'UTC', '2024-02-29'],
    ['2024-03-01T04:59:59Z', 'America/New_York', '2024-02-29'],
    ['2024-03-01T05:00:00Z', 'America/New_York', '2024-03-01'],
    ['2024-02-29T15:00:00Z', 'Asia/Tokyo', '2024-03-01'],
    ['2024-02-29T10:00:00Z', 'Pacific/Kiritimati', '2024-03-01'],
    ['2024-02-29T11:59:59Z', 'Pacific/Niue', '2024-02-29'],
    ['2023-12-31T18:30:00Z', 'Asia/Kolkata', '2024-01-01'],
    ['2024-02-29T12:00:00Z', 'No/Such_Zone', '2024-02-29'],
  ])('%s in %s is %s', (now, zone, date) => expect(evaluate('TODAY()', {}, zone, at(now))).toBe(date));

  it('uses UTC when no zone is given', () => {
    const formula = compileFormula('TODAY()', {});
    expect(formula.evaluate({}, { now: at('2024-01-01T23:59:59.999Z') })).toBe('2024-01-01');
  });
});

const LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const date = (year: number, month: number, day: number) =>
  `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
it.each(LENGTHS.map((days, index) => [index + 1, days] as const))(
  'the days of each month month %d has %d',
  (month, days) => {
    expect(formatDate(parseDate(date(2023, month, days))!)).toBe(date(2023, month, days));
    expect(parseDate(date(2023, month, days + 1))).toBeNull();
    const leapDays = month === 2 ? 29 : days;
    expect(formatDate(parseDate(date(2024, month, leapDays))!)).toBe(date(2024, month, leapDays));
    expect(parseDate(date(2024, month, leapDays + 1))).toBeNull();
    expect(parseDate(date(2024, month, 0))).toBeNull();
  },
);

describe('DAYS_BETWEEN', () => {
  it.each([
    ['2024-02-28', '2024-03-01', 2],
    ['2023-02-28', '2023-03-01', 1],
    ['2024-03-01', '2024-02-28', -2],
    ['2024-01-01', '2024-01-01', 0],
    ['0001-01-01', '9999-12-31', 3652058],
    ['1900-02-28', '1900-03-01', 1],
    ['2000-02-28', '2000-03-01', 2],
  ])('%s to %s is %d', (d, d2, days) => expect(evaluate('DAYS_BETWEEN(d, d2)', { d, d2 })).toBe(days));

  it.each([
    // Half an hour around midnight in New York is one calendar day.
    ['2024-03-02T04:45:00Z', '2024-03-02T05:15:00Z', 'America/New_York', 1],
    ['2024-03-02T04:45:00Z', '2024-03-02T05:15:00Z', 'UTC', 0],
    // 24 hours over the change to summer time.
    ['2024-03-09T12:00:00Z', '2024-03-11T03:59:00Z', 'America/New_York', 1],
    ['2024-03-09T12:00:00Z', '2024-03-11T04:00:00Z', 'America/New_York', 2],
    // Samoa left out 2011-12-30.
    ['2011-12-30T09:59:59Z', '2011-12-30T10:00:00Z', 'Pacific/Apia', 2],
  ])('%s to %s in %s is %d', (dt, dt2, zone, days) => {
    expect(evaluate('DAYS_BETWEEN(dt, dt2)', { dt, dt2 }, zone)).toBe(days);
  });

  it('accepts dates and datetimes together, and returns null for null', () => {
    const record = { d: '2024-03-01', dt: '2024-03-02T04:00:00Z' };
    expect(evaluate('DAYS_BETWEEN(d, dt)', record)).toBe(1);
    expect(evaluate('DAYS_BETWEEN(d, dt)', record, 'America/New_York')).toBe(0);
    expect(evaluate('DAYS_BETWEEN(dt, d)', record)).toBe(-1);
    for (const pair of ['d, d2', 'dt2, d', 'NULL, d']) expect(evaluate(`DAYS_BETWEEN(${pair})`, record)).toBeNull();
  });
});

describe('a date compared with a datetime is the first instant of that day in the zone', () => {
  it.each([
    ['2024-03-10', '2024-03-10T05:00:00Z', 'America/New_York'],
    ['2024-03-11', '2024-03-11T04:00:00Z', 'America/New_York'],
    ['2024-03-10', '2024-03-10T00:00:00Z', 'UTC'],
    ['2024-03-10', '2024-03-09T18:15:00Z', 'Asia/Kathmandu'],
    // Midnight is missing: São Paulo went from 00:00 to 01:00 on 2018-11-04, Beirut on 2024-03-31.
    ['2018-11-04', '2018-11-04T03:00:00Z', 'America/Sao_Paulo'],
    ['2024-03-31', '2024-03-30T22:00:00Z', 'Asia/Beirut'],
    // Midnight occurs twice: Havana went from 01:00 back to 00:00 on 2023-11-05.
    ['2023-11-05', '2023-11-05T04:00:00Z', 'America/Havana'],
    // Back from 00:00 to 23:00 of the previous day: the new day begins an hour later (São Paulo, 2018-02-18).
    ['2018-02-18', '2018-02-18T03:00:00Z', 'America/Sao_Paulo'],
    // Back from 00:01 to 23:01 (St. John's, 2006-10-29): the new day had begun a minute before.
    ['2006-10-29', '2006-10-29T02:30:00Z', 'America/St_Johns'],
    // The whole day does not exist: the instant of the jump.
    ['2011-12-30', '2011-12-30T10:00:00Z', 'Pacific/Apia'],
    // Local mean time, with seconds.
    ['1900-01-01', '1900-01-01T03:06:28Z', 'America/Sao_Paulo'],
  ])('%s is %s in %s', (d, dt, zone) => {
    expect(evaluate('d == dt', { d, dt }, zone)).toBe(true);
    expect(evaluate('dt == d', { d, dt }, zone)).toBe(true);
    expect(evaluate('d < dt', { d, dt }, zone)).toBe(false);
    expect(evaluate('d >= dt', { d, dt }, zone)).toBe(true);
    const later = formatInstant(parseInstant(dt)! + 1);
    expect(evaluate('d < dt', { d, dt: later }, zone)).toBe(true);
    expect(evaluate('dt != d', { d, dt: later }, zone)).toBe(true);
  });

  it('compares with null as null or unequal', () => {
    expect(evaluate('d < dt', { d: '2024-01-01' })).toBeNull();
    expect(evaluate('d == dt', { d: '2024-01-01' })).toBe(false);
    expect(evaluate('d == dt')).toBe(true);
  });
});

eachSource<[expected: boolean]>([
  [['TODAY()', 'IF(b, d, TODAY()) == d2', 'd < dt', '!(dt == d)', 'DAYS_BETWEEN(d, dt)'], true],
  [['DAYS_BETWEEN(d, d2)', 'dt < dt2', 'd == d2', 'n + 1', '"" + d + dt'], false],
])('the formula %s depends on the clock or the zone: %s', (source, expected) =>
  expect(compileFormula(source, FIELDS).readsClock).toBe(expected),
);

describe('the calendar', () => {
  it('numbers days as JavaScript does', () => {
    for (let day = -719_162; day <= 2_932_896; day += 997) {
      const text = formatDate(day);
      expect(parseDate(text)).toBe(day);
      const [year, month, date] = text.split('-').map(Number);
      expect(dayNumber(year!, month!, date!)).toBe(day);
    }
  });

  it.each([
    ...['0000-01-01', '2023-02-29', '1900-02-29', '2024-13-01', '2024-00-01', '2024-01-00', '2024-04-31', '2024-1-1'],
    ...['20240101', '2024-01-01 ', '+2024-01-01', '２０２４-01-01', ''],
  ])('%j is not a date', (text) => expect(parseDate(text)).toBeNull());

  // The characters next to the digits in ASCII, in each position of a digit.
  it.each(['/', ':'])('accepts no %s in position of a digit', (other) => {
    const instant = '2011-11-11T11:11:11Z';
    for (const position of [0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18]) {
      const text = instant.slice(0, position) + other + instant.slice(position + 1);
      expect([text, parseInstant(text)]).toEqual([text, null]);
      const withFraction = text.replace('Z', '.5Z');
      expect([withFraction, parseInstant(withFraction)]).toEqual([withFraction, null]);
      if (position < 10) expect([text, parseDate(text.slice(0, 10))]).toEqual([text, null]);
    }
  });

  it.each([
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
    ['2024-02-29t00:00:00z', '2024-02-29T00:00:00Z'],
    ['2024-02-29T00:00:00.000Z', '2024-02-29T00:00:00Z'],
    ['2024-02-29T00:00:00.9999Z', '2024-02-29T00:00:00.999Z'],
    ['2024-02-29T00:00:00.1Z', '2024-02-29T00:00:00.1Z'],
    ['2024-02-29T23:30:00-01:00', '2024-03-01T00:30:00Z'],
    ['2024-03-01T00:30:00+14:00', '2024-02-29T10:30:00Z'],
    ['2024-03-01T00:30:00-00:00', '2024-03-01T00:30:00Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['1969-12-31T23:59:59.5Z', '1969-12-31T23:59:59.5Z'],
  ])('%s is the instant %s', (text, canonical) => expect(formatInstant(parseInstant(text)!)).toBe(canonical));

  it.each([
    ...['2024-02-29', '2024-02-29T00:00Z', '2024-02-29T00:00:00', '2024-02-29 00:00:00Z', '2024-02-30T00:00:00Z'],
    ...['2024-02-29T24:00:00Z', '2024-02-29T23:60:00Z', '2016-12-31T23:59:60Z', '2024-02-29T00:00:00.Z'],
    ...['2024-02-29T00:00:00+24:00', '2024-02-29T00:00:00+0100', '2024-02-29T00:00:00,5Z', '0001-01-01T00:00:00+00:01'],
    ...['9999-12-31T23:59:59-00:01', '0000-06-01T00:00:00Z', ''],
  ])('%j is no instant', (text) => expect(parseInstant(text)).toBeNull());
});

describe('time zones', () => {
  it('are known by IANA names only', () => {
    expect(['Europe/Berlin', 'Mars/Olympus', ''].map(isTimeZone)).toEqual([true, false, false]);
  });

  it('start every day at an instant of that date, and the instant before is of an earlier date', () => {
    const names = ['Europe/Berlin', 'America/Sao_Paulo', 'Asia/Tehran', 'Africa/Casablanca', 'Australia/Lord_Howe'];
    for (const name of names) {
      const zone = timeZone(name);
      for (let day = 14_000; day < 20_500; day++) {
        const start = zone.startOfDay(day);
        if (zone.dayOf(start) !== day || zone.dayOf(start - 1) >= day) throw new Error(`${name} ${formatDate(day)}`);
      }
    }
  });

  it('stay correct when the caches overflow', () => {
    const zone = timeZone('America/New_York');
    const start = zone.startOfDay(19_000);
    for (let day = 0; day < 9_000; day++) zone.dayOf(zone.startOfDay(day));
    expect(zone.startOfDay(19_000)).toBe(start);
  });
});

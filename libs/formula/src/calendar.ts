/** Dates and instants as text and numbers, in the proleptic Gregorian calendar; no time zone but UTC. */

export const MILLISECONDS_PER_DAY = 86_400_000;
/** Years of the canonical form have four digits, and there is no year 0. */
const FIRST_YEAR = 1;
const LAST_YEAR = 9999;
const FIRST_INSTANT = -62_135_596_800_000; // 0001-01-01T00:00:00Z
const LAST_INSTANT = 253_402_300_799_999; // 9999-12-31T23:59:59.999Z

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATETIME = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,30}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;
const DAYS_OF_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The day number (0 is 1970-01-01) of a real date `YYYY-MM-DD` in the years 0001 to 9999, else null. */
export function parseDate(text: string): number | null {
  const match = DATE.exec(text);
  return match && isRealDate(+match[1]!, +match[2]!, +match[3]!) ? dayNumber(+match[1]!, +match[2]!, +match[3]!) : null;
}

/**
 * The instant (milliseconds since 1970) of an RFC 3339 date-time, else null. Digits beyond the millisecond are cut;
 * a leap second (:60) is refused, since no instant of ours can stand for it.
 */
export function parseInstant(text: string): number | null {
  const match = DATETIME.exec(text);
  if (!match || !isRealDate(+match[1]!, +match[2]!, +match[3]!)) return null;
  const [hours, minutes, seconds] = [+match[4]!, +match[5]!, +match[6]!];
  const [offsetHours, offsetMinutes] = [+(match[9] ?? 0), +(match[10] ?? 0)];
  if (hours > 23 || minutes > 59 || seconds > 59 || offsetHours > 23 || offsetMinutes > 59) return null;
  const milliseconds = +(match[7] ?? '').slice(0, 3).padEnd(3, '0');
  const local =
    dayNumber(+match[1]!, +match[2]!, +match[3]!) * MILLISECONDS_PER_DAY +
    ((hours * 60 + minutes) * 60 + seconds) * 1000 +
    milliseconds;
  const offset = (offsetHours * 60 + offsetMinutes) * 60_000;
  const instant = match[8] === '-' ? local + offset : local - offset;
  return instant >= FIRST_INSTANT && instant <= LAST_INSTANT ? instant : null;
}

/** `YYYY-MM-DD` of a day number in the years 0001 to 9999. */
export function formatDate(day: number): string {
  return new Date(day * MILLISECONDS_PER_DAY).toISOString().slice(0, 10);
}

/** RFC 3339 UTC with `Z`: seconds always, a fraction only when not zero, without trailing zeros. */
export function formatInstant(instant: number): string {
  const text = new Date(instant).toISOString();
  return text.endsWith('.000Z') ? `${text.slice(0, 19)}Z` : `${text.slice(0, 23).replace(/0+$/, '')}Z`;
}

/** Days since 1970-01-01 of a date: counts in eras of 400 years (146,097 days) that begin on 1 March. */
export function dayNumber(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function isRealDate(year: number, month: number, day: number): boolean {
  if (year < FIRST_YEAR || year > LAST_YEAR || month < 1 || month > 12 || day < 1) return false;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= (month === 2 && leap ? 29 : DAYS_OF_MONTH[month - 1]!);
}

/** Dates and instants as text and numbers, in the proleptic Gregorian calendar and in UTC only. */

const MILLISECONDS_PER_DAY = 86_400_000;
/** Years of the canonical form have four digits, and there is no year 0. */
const FIRST_YEAR = 1;
const LAST_YEAR = 9999;
const FIRST_INSTANT = -62_135_596_800_000; // 0001-01-01T00:00:00Z
const LAST_INSTANT = 253_402_300_799_999; // 9999-12-31T23:59:59.999Z

/** What follows the date and its T: one group for the fraction of the second, three for the offset. */
const TIME = /^(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,30}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;
const ZERO = 48;
const HYPHEN = 45;
const COLON = 58;
/** A datetime in the most common form: `YYYY-MM-DDTHH:MM:SSZ`. */
const SHORT_LENGTH = 20;
const DAYS_OF_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The day number (0 is 1970-01-01) of a real date `YYYY-MM-DD` in the years 0001 to 9999, else null. */
export function parseDate(text: string): number | null {
  return text.length === 10 ? dateAt(text) : null;
}

/** The day number of the date at the start of a text, else null. No regular expression, because every read parses dates. */
function dateAt(text: string): number | null {
  if (text.charCodeAt(4) !== HYPHEN || text.charCodeAt(7) !== HYPHEN) return null;
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  return isRealDate(year, month, day) ? dayNumber(year, month, day) : null;
}

/** The value of two digits, or NaN. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - ZERO;
  const ones = text.charCodeAt(at + 1) - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

/**
 * The instant (milliseconds since 1970) of an RFC 3339 date-time, else null. Digits beyond the millisecond are dropped;
 * a leap second (:60) is rejected because no JavaScript instant represents it.
 */
export function parseInstant(text: string): number | null {
  const day = text[10] === 'T' || text[10] === 't' ? dateAt(text) : null;
  if (day === null) return null;
  const midnight = day * MILLISECONDS_PER_DAY;
  if (text.length === SHORT_LENGTH && text[19] === 'Z') {
    if (text.charCodeAt(13) !== COLON || text.charCodeAt(16) !== COLON) return null;
    const time = timeOfDay(twoDigits(text, 11), twoDigits(text, 14), twoDigits(text, 17));
    return time === null ? null : midnight + time;
  }
  const match = TIME.exec(text.slice(11));
  if (!match) return null;
  const time = timeOfDay(+match[1]!, +match[2]!, +match[3]!);
  const [offsetHours, offsetMinutes] = [+(match[6] ?? 0), +(match[7] ?? 0)];
  if (time === null || offsetHours > 23 || offsetMinutes > 59) return null;
  const milliseconds = +(match[4] ?? '').slice(0, 3).padEnd(3, '0');
  const offset = (offsetHours * 60 + offsetMinutes) * 60_000;
  const instant = midnight + time + milliseconds + (match[5] === '-' ? offset : -offset);
  return instant >= FIRST_INSTANT && instant <= LAST_INSTANT ? instant : null;
}

/** Milliseconds since midnight, or null when a part is too large or NaN. */
function timeOfDay(hours: number, minutes: number, seconds: number): number | null {
  return hours <= 23 && minutes <= 59 && seconds <= 59 ? ((hours * 60 + minutes) * 60 + seconds) * 1000 : null;
}

/** `YYYY-MM-DD` of a day number in the years 0001 to 9999. */
export function formatDate(day: number): string {
  return new Date(day * MILLISECONDS_PER_DAY).toISOString().slice(0, 10);
}

/** RFC 3339 UTC with `Z`: always with seconds, a fraction only when it is not zero, no trailing zeros. */
export function formatInstant(instant: number): string {
  const text = new Date(instant).toISOString();
  return text.endsWith('.000Z') ? `${text.slice(0, 19)}Z` : `${text.slice(0, 23).replace(/0+$/, '')}Z`;
}

/** Days since 1970-01-01 of a date: counted in eras of 400 years (146,097 days) that begin on 1 March. */
export function dayNumber(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function isRealDate(year: number, month: number, day: number): boolean {
  // Written so that NaN is rejected.
  if (!(year >= FIRST_YEAR && year <= LAST_YEAR && month >= 1 && month <= 12 && day >= 1)) return false;
  if (day <= 28) return true;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= (month === 2 && leap ? 29 : DAYS_OF_MONTH[month - 1]!);
}

const CACHE_SIZE = 4096;
/** Zones kept in memory; there are about 600 names, and tenants use few of them. */
const ZONE_CACHE_SIZE = 700;
/**
 * No zone has ever been 16 hours or more from UTC (Manila and Juneau had local mean times beyond 15), so a day's
 * local midnight lies within 16 hours of the UTC one.
 */
const WIDEST_OFFSET = 16 * 3_600_000;

/** What formulas need from a time zone. Values come from Intl and are cached. */
export interface TimeZone {
  /** The day number of the calendar date that an instant has in this zone. */
  dayOf(instant: number): number;
  /**
   * The first instant of a calendar day, even where midnight does not exist (the first instant after the gap) or
   * occurs twice (the earlier one).
   */
  startOfDay(day: number): number;
}

const UTC: TimeZone = {
  dayOf: (instant) => Math.floor(instant / MILLISECONDS_PER_DAY),
  startOfDay: (day) => day * MILLISECONDS_PER_DAY,
};
/** The regions of the IANA list: continents, oceans, and Etc. */
const REGIONAL = /^(Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific|Etc)\//i;
const zones = new Map<string, TimeZone>();

/** The zone of an IANA name. A missing name, or one that this platform does not know, means UTC. */
export function timeZone(name: string | undefined): TimeZone {
  if (name === undefined || name === 'UTC') return UTC;
  const known = zones.get(name);
  if (known) return known;
  if (!isTimeZone(name)) return UTC;
  if (zones.size >= ZONE_CACHE_SIZE) zones.clear();
  const zone = new IntlTimeZone(name);
  zones.set(name, zone);
  return zone;
}

/**
 * The Postgres name of the zone that {@link timeZone} returns. Names of a region (Asia/Kolkata) are the same
 * everywhere; Intl would turn them into older ones that a system's time zone data may lack. Other names (EST, ACT,
 * US/Pacific) are unknown to some programs or mean different things to them, so they become the name that Intl resolves.
 */
export function postgresTimeZone(name: string | undefined): string {
  if (name === undefined || !isTimeZone(name)) return 'UTC';
  const canonical = new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
  const isSame = canonical.toLowerCase() === name.toLowerCase();
  return REGIONAL.test(name) && !isSame ? name : canonical;
}

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

class IntlTimeZone implements TimeZone {
  private readonly format: Intl.DateTimeFormat;
  /** Offset during a whole UTC day; null when it changes within the day. */
  private readonly offsets = new Map<number, number | null>();
  private readonly starts = new Map<number, number>();

  constructor(name: string) {
    this.format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  dayOf(instant: number): number {
    return Math.floor((instant + this.offset(instant)) / MILLISECONDS_PER_DAY);
  }

  startOfDay(day: number): number {
    let start = this.starts.get(day);
    if (start === undefined) {
      start = this.findStart(day * MILLISECONDS_PER_DAY);
      remember(this.starts, day, start);
    }
    return start;
  }

  /** `midnight` is the local midnight read as if it were UTC. */
  private findStart(midnight: number): number {
    let before = midnight - WIDEST_OFFSET;
    let after = midnight + WIDEST_OFFSET;
    const early = this.exactOffset(before);
    const late = this.exactOffset(after);
    if (early === late) return midnight - early;
    // The offset changes around this midnight: search for the first instant with the later offset.
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (this.exactOffset(middle) === early) before = middle;
      else after = middle;
    }
    if (midnight - early < after) return midnight - early;
    return Math.max(midnight - late, after);
  }

  /** Milliseconds by which local time is ahead of UTC. */
  private offset(instant: number): number {
    const day = Math.floor(instant / MILLISECONDS_PER_DAY);
    let offset = this.offsets.get(day);
    if (offset === undefined) {
      const first = this.exactOffset(day * MILLISECONDS_PER_DAY);
      const last = this.exactOffset((day + 1) * MILLISECONDS_PER_DAY - 1);
      offset = first === last ? first : null;
      remember(this.offsets, day, offset);
    }
    return offset ?? this.exactOffset(instant);
  }

  private exactOffset(instant: number): number {
    const seconds = Math.floor(instant / 1000) * 1000;
    const parts: Record<string, number> = {};
    let beforeChrist = false;
    for (const { type, value } of this.format.formatToParts(seconds)) {
      if (type === 'era') beforeChrist = value.startsWith('B');
      else if (type !== 'literal') parts[type] = Number(value);
    }
    const year = beforeChrist ? 1 - parts.year! : parts.year!;
    const local =
      dayNumber(year, parts.month!, parts.day!) * MILLISECONDS_PER_DAY +
      ((parts.hour! * 60 + parts.minute!) * 60 + parts.second!) * 1000;
    return local - seconds;
  }
}

function remember<V>(cache: Map<number, V>, key: number, value: V): void {
  if (cache.size >= CACHE_SIZE) cache.clear();
  cache.set(key, value);
}

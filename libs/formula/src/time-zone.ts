import { dayNumber, MILLISECONDS_PER_DAY } from './calendar.js';

/** Entries in each cache of a zone; a full cache is cleared. */
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

/** Whether this platform knows the zone. */
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

import { PlatformError } from '@crm/contracts';

/** RFC 3339, including `from`, excluding `to`. */
export interface TimeRangeQuery {
  readonly from?: string;
  readonly to?: string;
}

/** In milliseconds since 1970; null where the range is open. */
export interface TimeRange {
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

/** @throws PlatformError INVALID_QUERY when the range ends before it begins */
export function parseTimeRange({ from, to }: TimeRangeQuery): TimeRange {
  const [fromMs, toMs] = [parseTime(from), parseTime(to)];
  assertForward(fromMs, toMs);
  return { fromMs, toMs };
}

function assertForward(fromMs: number | null, toMs: number | null): void {
  if (fromMs !== null && toMs !== null && fromMs > toMs) {
    throw new PlatformError('INVALID_QUERY', 'from: must be before to');
  }
}

/** No event is older than 1970. */
const parseTime = (text: string | undefined): number | null =>
  text === undefined ? null : Math.max(0, Date.parse(text));

const HOUR_MS = 3_600_000;
const HOURS_BY_DEFAULT = 24;
/** The longest range of one request for statistics: a week, 169 hours when it does not begin with one. */
export const MOST_DAYS = 7;

export interface StatsHours {
  readonly fromMs: number;
  readonly toMs: number;
  readonly hoursMs: readonly number[];
}

/**
 * Hours of UTC. A range is not rounded, so that a tenant with too many deliveries in an hour can ask for minutes.
 * @throws PlatformError INVALID_QUERY for more than seven days, and when the range ends before it begins
 */
export function statsHours({ fromMs: from, toMs: to }: TimeRange, nowMs: number): StatsHours {
  const toMs = to ?? nowMs;
  const fromMs = from ?? Math.max(0, hourOf(toMs - 1) - (HOURS_BY_DEFAULT - 1) * HOUR_MS);
  assertForward(fromMs, toMs);
  if (toMs - fromMs > MOST_DAYS * 24 * HOUR_MS) {
    throw new PlatformError('INVALID_QUERY', `from: must be within ${MOST_DAYS} days of to`);
  }
  const hoursMs: number[] = [];
  // An empty range has no hour, also when it is within one.
  for (let hour = hourOf(fromMs); fromMs < toMs && hour < toMs; hour += HOUR_MS) hoursMs.push(hour);
  return { fromMs, toMs, hoursMs };
}

const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS) * HOUR_MS;

import { PlatformError } from '@crm/contracts';
import { assertForward, type TimeRange } from './time-range.js';

const HOUR_MS = 3_600_000;
const HOURS_BY_DEFAULT = 24;
/** A week, the longest range of one request: 169 hours when it does not begin with one. */
export const MOST_DAYS = 7;
const MOST_MS = MOST_DAYS * 24 * HOUR_MS;

/** Hours of UTC, of which the first and the last may be asked for in part. */
export interface StatsHours {
  readonly fromMs: number;
  /** Before this time. */
  readonly toMs: number;
  /** When each hour begins. */
  readonly hoursMs: readonly number[];
}

/**
 * The hours that a request asks for: without `to` until now, without `from` the 24 hours that end with the last one, which
 * may still run. A range within an hour is not rounded: who has more deliveries than a request may read can ask for minutes.
 * @throws PlatformError INVALID_QUERY for more than seven days, and when the range ends before it begins
 */
export function statsHours({ fromMs: from, toMs: to }: TimeRange, nowMs: number): StatsHours {
  const toMs = to ?? nowMs;
  const fromMs = from ?? Math.max(0, hourOf(toMs - 1) - (HOURS_BY_DEFAULT - 1) * HOUR_MS);
  assertForward(fromMs, toMs);
  if (toMs - fromMs > MOST_MS) {
    throw new PlatformError('INVALID_QUERY', `from: more than ${MOST_DAYS} days before to`);
  }
  const hoursMs: number[] = [];
  // An empty range has no hour, also when it is within one.
  for (let hour = hourOf(fromMs); fromMs < toMs && hour < toMs; hour += HOUR_MS) hoursMs.push(hour);
  return { fromMs, toMs, hoursMs };
}

const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS) * HOUR_MS;

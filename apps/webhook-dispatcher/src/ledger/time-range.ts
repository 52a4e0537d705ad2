import { PlatformError } from '@crm/contracts';

/** A range of times as a query gives it: RFC 3339, from `from` on and before `to`. */
export interface TimeRangeQuery {
  readonly from?: string;
  readonly to?: string;
}

/** In milliseconds since 1970; null where the range is open. */
export interface TimeRange {
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

/**
 * @param query times whose form is already checked; one before 1970 means 1970, since no event is older
 * @throws PlatformError INVALID_QUERY when the range ends before it begins
 */
export function parseTimeRange({ from, to }: TimeRangeQuery): TimeRange {
  const [fromMs, toMs] = [parseTime(from), parseTime(to)];
  assertForward(fromMs, toMs);
  return { fromMs, toMs };
}

/** @throws PlatformError INVALID_QUERY when the range ends before it begins */
export function assertForward(fromMs: number | null, toMs: number | null): void {
  if (fromMs !== null && toMs !== null && fromMs > toMs) {
    throw new PlatformError('INVALID_QUERY', 'from: is later than to');
  }
}

const parseTime = (text: string | undefined): number | null =>
  text === undefined ? null : Math.max(0, Date.parse(text));

import { jittered } from '@crm/database';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * Delays before the attempts, each counted from the previous attempt: the schedule that Standard Webhooks recommends,
 * extended to about three days.
 */
export const DEFAULT_RETRY_DELAYS_MS: readonly number[] = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** The longest a receiver may ask us to wait with Retry-After. */
const RETRY_AFTER_LIMIT_MS = 24 * HOUR;

/**
 * Milliseconds until the next attempt, or null when there is none left.
 * @param attempts attempts made
 * @param retryAfterMs what the receiver asks for; respected when it is longer
 * @param random a number in [0, 1)
 */
export function delayBeforeNext(
  delaysMs: readonly number[],
  attempts: number,
  retryAfterMs: number | null,
  random: number,
): number | null {
  const base = delaysMs[attempts];
  if (base === undefined) return null;
  return Math.max(jittered(base, random), retryAfterMs ?? 0);
}

/**
 * Reads Retry-After (RFC 9110, section 10.2.3): seconds or an HTTP date.
 * @param header of several, the first counts
 * @param now Unix time in milliseconds
 * @returns milliseconds from now, not negative, at most one day; null when there is no such header or it cannot be read
 */
export function readRetryAfter(header: string | readonly string[] | undefined, now: number): number | null {
  const text = (typeof header === 'string' ? header : header?.[0])?.trim();
  if (text === undefined) return null;
  if (/^[0-9]{1,9}$/.test(text)) return Math.min(Number(text) * SECOND, RETRY_AFTER_LIMIT_MS);
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.min(Math.max(0, date - now), RETRY_AFTER_LIMIT_MS);
}

/**
 * Reads a schedule such as `0s,5s,5m,2h`.
 * @returns milliseconds
 * @throws Error naming the part that cannot be read
 */
export function parseDelays(text: string): number[] {
  const units: Record<string, number> = { ms: 1, s: SECOND, m: MINUTE, h: HOUR };
  return text.split(',').map((part) => {
    const match = /^\s*([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)\s*$/.exec(part);
    const unit = units[match?.[2] ?? ''];
    if (!match || unit === undefined)
      throw new Error(`WEBHOOK_RETRY_DELAYS: "${part}" is not a delay such as 5s or 2h`);
    return Number(match[1]) * unit;
  });
}

/** The longest that someone may ask us to wait. */
const RETRY_AFTER_LIMIT_MS = 24 * 3_600_000;

/** RFC 9110, section 10.2.3: seconds or an HTTP date; of several headers, the first counts. @returns milliseconds from now */
export function readRetryAfter(header: string | readonly string[] | undefined, now: number): number | null {
  const text = (typeof header === 'string' ? header : header?.[0])?.trim();
  if (text === undefined) return null;
  if (/^[0-9]{1,9}$/.test(text)) return Math.min(Number(text) * 1_000, RETRY_AFTER_LIMIT_MS);
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.min(Math.max(0, date - now), RETRY_AFTER_LIMIT_MS);
}

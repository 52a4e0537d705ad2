/** A program that ends more often than this within the window is not restarted again. */
export const MOST_CRASHES = 5;
export const CRASH_WINDOW_MS = 60_000;

const FIRST_DELAY_MS = 200;
const LONGEST_DELAY_MS = 5000;

/**
 * What to do after a program has ended by itself: the first restart is almost at once, every further one within the
 * window waits twice as long.
 * @param {readonly number[]} crashTimes milliseconds, the present crash last
 * @returns {{ restart: true, delayMs: number } | { restart: false }}
 */
export function afterCrash(crashTimes) {
  const now = crashTimes.at(-1) ?? 0;
  const recent = crashTimes.filter((time) => time > now - CRASH_WINDOW_MS).length;
  if (recent > MOST_CRASHES) return { restart: false };
  return { restart: true, delayMs: Math.min(FIRST_DELAY_MS * 2 ** Math.max(0, recent - 1), LONGEST_DELAY_MS) };
}

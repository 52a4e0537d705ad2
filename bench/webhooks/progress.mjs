// Waiting for what a background process does.
import { setTimeout as delay } from 'node:timers/promises';

/** Longest time without any progress, in milliseconds; an attempt that hangs takes 15 s. */
const STALL_MS = 60_000;

/**
 * Looks again and again until a count has reached its end.
 * @param {string} what is counted, for the error
 * @param {number} end
 * @param {() => Promise<number>} look gives the count, which rises
 * @param {number} [everyMs] from one look to the next; a look shares the processor with what it looks at
 * @throws {Error} when it stands still for STALL_MS
 */
export async function untilReached(what, end, look, everyMs = 50) {
  let last = await look();
  let movedAt = performance.now();
  while (last < end) {
    await delay(everyMs);
    const count = await look();
    if (count !== last) movedAt = performance.now();
    if (performance.now() - movedAt > STALL_MS) throw new Error(`${what}: ${count} of ${end}, and no more come`);
    last = count;
  }
}

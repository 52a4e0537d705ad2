import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 15;
/** Most that one look counts, with the pause before it. */
const MOST_OF_A_LOOK_MS = 60;

export interface WaitOptions {
  /** 5,000 when left out. Each look counts 60 at most. */
  timeoutMs?: number;
  describe?: string;
}

/**
 * A machine that stands still has not let anything go on, so a slow look counts little.
 * @throws Error when the condition does not hold in time, and whatever it throws
 */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  { timeoutMs = 5_000, describe = 'the condition holds' }: WaitOptions = {},
): Promise<void> {
  let waitedMs = 0;
  for (let begun = performance.now(); !(await condition()); ) {
    await delay(POLL_MS);
    const now = performance.now();
    waitedMs += Math.min(now - begun, MOST_OF_A_LOOK_MS);
    begun = now;
    if (waitedMs > timeoutMs) throw new Error(`Waited ${timeoutMs} ms in vain until ${describe}`);
  }
}

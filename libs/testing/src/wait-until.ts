import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 15;

export interface WaitOptions {
  /** 5,000 when left out. */
  timeoutMs?: number;
  /** What is waited for, in the error. */
  describe?: string;
}

/**
 * Looks again and again until the condition holds.
 * @throws Error when it does not hold in time, and whatever the condition throws
 */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  { timeoutMs = 5_000, describe = 'the condition holds' }: WaitOptions = {},
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Waited ${timeoutMs} ms in vain until ${describe}`);
    await delay(POLL_MS);
  }
}

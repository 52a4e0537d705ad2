import { setTimeout as delay } from 'node:timers/promises';
import type { Endpoints } from './endpoints.js';
import type { Ledger } from './ledger.js';

/**
 * Longest time without a request and without a change of what is left to do, in milliseconds. An event that one outage after the other kept from
 * being handled is delivered again after 5 minutes; a process that dies keeps its claims for 30 s, and a receiver that fails
 * again and again is left alone for a minute.
 */
const STALL_MS = 330_000;
const LOOK_MS = 250;

/**
 * Waits until nothing is due, claimed, unpublished or unacknowledged.
 * @throws Error with what is left when it does not become less any more
 */
export async function untilNothingIsLeft(ledger: Ledger, endpoints: Endpoints): Promise<void> {
  let last = '';
  let changedAt = performance.now();
  for (;;) {
    const left = await ledger.listLeftovers();
    if (Object.keys(left).length === 0) return;
    const text = `${JSON.stringify(left, null, 2)} after ${endpoints.countRequests()} requests`;
    if (text !== last) changedAt = performance.now();
    // Dead letters never become less.
    const isOver = Object.keys(left).every((what) => what.endsWith('dead letters'));
    if (isOver || performance.now() - changedAt > STALL_MS) {
      throw new Error(`Stuck: ${text}; dead letters: ${await ledger.describeDeadLetters()}`);
    }
    last = text;
    await delay(LOOK_MS);
  }
}

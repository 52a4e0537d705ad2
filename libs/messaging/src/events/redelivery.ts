import { PlatformError } from '@crm/contracts';
import { isExcessive, isTemporary } from '@crm/database';

/** Milliseconds before a failed event is delivered again, by the number of its delivery; the last one repeats. */
export const REDELIVERY_DELAYS_MS: readonly number[] = [1_000, 5_000, 30_000, 60_000, 120_000, 300_000];

/** The delay after a failed delivery. @param delivery from 1 */
export function redeliveryDelay(delays: readonly number[], delivery: number): number {
  return delays[Math.min(delivery, delays.length) - 1] ?? 0;
}

/**
 * The delay after a delivery that failed because something was unavailable. The event waits no longer than it has waited
 * already: deliveries that fell into several short outages would otherwise make it wait for minutes although everything is
 * back, and what waits through a long outage is still delivered only every few minutes.
 * @param delivery from 1
 * @param ageMs since the event was stored in the stream
 */
export function delayAfterOutage(delays: readonly number[], delivery: number, ageMs: number): number {
  const [shortest = 0] = delays;
  return Math.max(shortest, Math.min(redeliveryDelay(delays, delivery), ageMs));
}

/**
 * An event that exceeds the consumer's limit by this many deliveries, although each failure seemed temporary or was not
 * reported, crashes its process, will never succeed, or waited most of a day for something unavailable.
 */
const HOPELESS_FACTOR = 20;

/** @param delivery from 1 */
export function isHopeless(delivery: number, maxDeliveries: number): boolean {
  return delivery > maxDeliveries * HOPELESS_FACTOR;
}

/**
 * Whether the failure is not caused by the event: something it needs is unavailable, so it waits and the failure does not
 * count. A statement of its handler that took too long or too much memory does count: it may do so every time and delay
 * other tenants' events.
 */
export function isTransient(error: unknown): boolean {
  if (isExcessive(error)) return false;
  if (error instanceof PlatformError) return error.code === 'SERVICE_UNAVAILABLE' || error.code === 'DEADLINE_EXCEEDED';
  return isTemporary(error);
}

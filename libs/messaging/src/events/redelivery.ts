import { PlatformError } from '@crm/contracts';
import { isExcessive, isTemporary } from '@crm/database';

/** Milliseconds before an event that failed is delivered again, by the number of its delivery; the last one repeats. */
export const REDELIVERY_DELAYS_MS: readonly number[] = [1_000, 5_000, 30_000, 60_000, 120_000, 300_000];

/** The delay after a failed delivery. @param delivery from 1 */
export function redeliveryDelay(delays: readonly number[], delivery: number): number {
  return delays[Math.min(delivery, delays.length) - 1] ?? 0;
}

/**
 * An event that comes back this many times over the consumer's limit, though each failure looked transient or none was
 * reported, takes its process down, will never work, or waited for something that was away most of a day.
 */
const HOPELESS_FACTOR = 20;

/** @param delivery from 1 */
export function isHopeless(delivery: number, maxDeliveries: number): boolean {
  return delivery > maxDeliveries * HOPELESS_FACTOR;
}

/**
 * Whether the event is not to blame: what it needs is away, so it waits and its failure does not count. A statement of its
 * own handling that took too long or too much memory may do so each time, and hold up other tenants' events each time.
 */
export function isTransient(error: unknown): boolean {
  if (isExcessive(error)) return false;
  if (error instanceof PlatformError) return error.code === 'SERVICE_UNAVAILABLE' || error.code === 'DEADLINE_EXCEEDED';
  return isTemporary(error);
}

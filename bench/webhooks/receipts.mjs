// Whether every event has arrived at every subscription, and how long it took.

/**
 * @typedef {object} Arrivals
 * @property {number} expected deliveries
 * @property {number[]} latencies milliseconds from the commit to the receipt of each, in ascending order
 */

/**
 * Compares what the source has committed with what the receiver has got.
 * @param {Record<string, [id: string, committedAt: number][]>} commits by tenant
 * @param {Record<string, [id: string, receivedAt: number][]>} receipts by path
 * @param {readonly import('./dispatcher.mjs').Subscription[]} subscriptions that should have got all events of their tenant
 * @returns {Arrivals}
 * @throws {Error} when an event is missing
 */
export function checkArrivals(commits, receipts, subscriptions) {
  /** @type {number[]} */
  const latencies = [];
  /** @type {string[]} */
  const missing = [];
  for (const { tenantId, path } of subscriptions) {
    const received = new Map(receipts[path]);
    for (const [id, committedAt] of commits[tenantId] ?? []) {
      const receivedAt = received.get(id);
      if (receivedAt === undefined) missing.push(`${id} at ${path}`);
      else latencies.push(receivedAt - committedAt);
    }
  }
  if (missing.length > 0) throw new Error(`${missing.length} deliveries were lost, among them ${missing[0]}`);
  return { expected: latencies.length, latencies: latencies.sort((left, right) => left - right) };
}

/**
 * @param {readonly number[]} sorted in ascending order
 * @param {number} part such as 0.99
 */
export const percentile = (sorted, part) => sorted[Math.floor(sorted.length * part)] ?? Number.NaN;

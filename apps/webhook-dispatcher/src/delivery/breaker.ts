/** Failures in a row after which a subscription is left alone for a while. */
const THRESHOLD = 5;
/** How long, in milliseconds: first, and at most, doubling each time it fails again. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/**
 * How long, in milliseconds, failures are remembered of a subscription that nothing is attempted for: most that are still
 * remembered then are deleted or disabled. Longer than the first retries are apart; later ones learn anew.
 */
const MEMORY_MS = 10 * LONGEST_PAUSE_MS;
/** Attempts that may be claimed for a subscription that has just come out of a pause. */
const PROBES = 1;

interface Endpoint {
  inFlight: number;
  failures: number;
  pausedUntil: number;
  /** When the last attempt ended. */
  endedAt: number;
}

/**
 * What this process knows of each subscription's receiver: attempts under way and failures in a row. A slow or dead
 * receiver gets a share of its own and no more, so it delays nobody else. It throttles; nothing is ever dropped here.
 */
export class Breaker {
  private readonly endpoints = new Map<string, Endpoint>();

  constructor(private readonly concurrencyPerSubscription: number) {}

  /** How many more attempts may begin. */
  room(subscriptionId: string, now: number): number {
    const endpoint = this.endpoints.get(subscriptionId);
    if (!endpoint) return this.concurrencyPerSubscription;
    if (endpoint.pausedUntil > now) return 0;
    const limit = endpoint.failures >= THRESHOLD ? PROBES : this.concurrencyPerSubscription;
    return Math.max(0, limit - endpoint.inFlight);
  }

  /**
   * Subscriptions that may begin fewer than their share now, with how many: 0 for those that may begin nothing. Forgets
   * those of which nothing was heard for long, so that neither the answer nor what is kept grows with every dead receiver.
   */
  narrowed(now: number): Map<string, number> {
    this.forgetIdle(now);
    const rooms = [...this.endpoints.keys()].map((id): [string, number] => [id, this.room(id, now)]);
    return new Map(rooms.filter(([, room]) => room < this.concurrencyPerSubscription));
  }

  /** Subscriptions for which nothing may begin now. */
  closed(now: number): string[] {
    return [...this.endpoints.keys()].filter((id) => this.room(id, now) === 0);
  }

  /** When the next pause ends, as Unix milliseconds; null when none is running. */
  nextOpening(now: number): number | null {
    const pauses = [...this.endpoints.values()].map((endpoint) => endpoint.pausedUntil).filter((until) => until > now);
    return pauses.length > 0 ? Math.min(...pauses) : null;
  }

  /** Subscriptions of which something is remembered. */
  get size(): number {
    return this.endpoints.size;
  }

  begun(subscriptionId: string): void {
    this.endpointOf(subscriptionId).inFlight += 1;
  }

  ended(subscriptionId: string, succeeded: boolean, now: number): void {
    const endpoint = this.endpointOf(subscriptionId);
    endpoint.inFlight -= 1;
    endpoint.endedAt = now;
    endpoint.failures = succeeded ? 0 : endpoint.failures + 1;
    if (endpoint.failures >= THRESHOLD) {
      const pause = FIRST_PAUSE_MS * 2 ** Math.min(endpoint.failures - THRESHOLD, 10);
      endpoint.pausedUntil = now + Math.min(pause, LONGEST_PAUSE_MS);
    }
    if (endpoint.inFlight === 0 && endpoint.failures === 0) this.endpoints.delete(subscriptionId);
  }

  private forgetIdle(now: number): void {
    for (const [id, { inFlight, pausedUntil, endedAt }] of this.endpoints) {
      if (inFlight === 0 && Math.max(pausedUntil, endedAt) + MEMORY_MS <= now) this.endpoints.delete(id);
    }
  }

  private endpointOf(subscriptionId: string): Endpoint {
    let endpoint = this.endpoints.get(subscriptionId);
    if (!endpoint) {
      endpoint = { inFlight: 0, failures: 0, pausedUntil: 0, endedAt: 0 };
      this.endpoints.set(subscriptionId, endpoint);
    }
    return endpoint;
  }
}

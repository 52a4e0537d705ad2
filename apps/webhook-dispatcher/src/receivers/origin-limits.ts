import { Breaker } from '@crm/database';
import type { AttemptOutcome, Receiver } from './receiver.js';

type Target = Pick<Receiver, 'tenantId' | 'subscriptionId' | 'origin'>;

/** Initial concurrency, unless the configuration allows less: an origin may have receivers of many tenants. */
const FIRST = 64;
/** Milliseconds for which an origin that was reached counts as working: what connects may have begun before, and takes up to five seconds. */
const PROVEN_MS = 10_000;
/** Milliseconds for which the attempt after a pause is left to the receiver that last succeeded. */
const PROBE_MS = 1_000;

interface Origin {
  /** Receivers that have attempts here, or wait for it, and their tenants. */
  readonly receivers: Map<string, string>;
  /** Attempts by tenant, apart from slow ones. */
  readonly underWay: Map<string, number>;
  /** Receivers that could not reach it since it was last reached. */
  readonly unreached: Set<string>;
  reachedAt: number;
  lastSucceeded: string | undefined;
}

/**
 * Concurrency limits of origins, each of which may have receivers of many tenants. Only what is the origin's counts against it: that
 * several receivers could not look it up or connect, and that nobody could lately. No tenant gets all its slots.
 */
export class OriginLimits {
  private readonly breaker: Breaker;
  /** Forgotten when the breaker forgets them. */
  private readonly origins = new Map<string, Origin>();

  /** @param most attempts at a time at one origin */
  constructor(most: number) {
    this.breaker = new Breaker({ first: Math.min(FIRST, most), most });
  }

  /** How many attempts may begin now for a receiver: as for a process, a tenant has fewer under way than slots are free. */
  freeSlots({ tenantId, subscriptionId, origin }: Target, now: number): number {
    const free = this.breaker.freeSlots(origin, now);
    const known = this.origins.get(origin);
    if (!known || free === 0) return free;
    const { lastSucceeded = subscriptionId } = known;
    if (lastSucceeded !== subscriptionId && now < this.probedByAnyFrom(origin)) return 0;
    return shareOf(free, known.underWay.get(tenantId) ?? 0);
  }

  /** Returns whether someone may wait for a slot. */
  isFull(origin: string, now: number): boolean {
    return this.fewestFreeSlots(origin, now) === 0;
  }

  isPaused(origin: string, now: number): boolean {
    return this.breaker.isPaused(origin, now);
  }

  begun({ tenantId, subscriptionId, origin }: Target): void {
    this.breaker.begun(origin);
    const { receivers, underWay } = this.originOf(origin);
    receivers.set(subscriptionId, tenantId);
    underWay.set(tenantId, (underWay.get(tenantId) ?? 0) + 1);
  }

  /** A receiver has deliveries that wait for a place. */
  await({ tenantId, subscriptionId, origin }: Target): void {
    this.origins.get(origin)?.receivers.set(subscriptionId, tenantId);
  }

  /** An attempt has ended or no longer needs its place. */
  left({ tenantId, origin }: Target): void {
    this.breaker.left(origin);
    const { underWay } = this.originOf(origin);
    const left = (underWay.get(tenantId) ?? 0) - 1;
    if (left > 0) underWay.set(tenantId, left);
    else underWay.delete(tenantId);
  }

  judge({ subscriptionId, origin }: Target, { httpStatus, error }: AttemptOutcome, now: number): void {
    const known = this.originOf(origin);
    const phase = error?.phase;
    if (phase === 'dns' || phase === 'connect' || phase === 'tls') {
      known.unreached.add(subscriptionId);
      const isItsOwn = known.unreached.size > 1 && now >= known.reachedAt + PROVEN_MS;
      if (isItsOwn) this.breaker.judge(origin, false, now);
    } else if (httpStatus !== null || phase === 'headers' || phase === 'body') {
      known.unreached.clear();
      known.reachedAt = now;
      if (error === null) known.lastSucceeded = subscriptionId;
      this.breaker.judge(origin, true, now);
    }
  }

  /** Receivers with fewer free slots than that, and how many those are. Forgets origins without recent attempts. */
  narrowed(below: number, now: number): Map<string, number> {
    this.breaker.forgetIdle(now);
    const limits = new Map<string, number>();
    for (const [origin, { receivers }] of this.origins) {
      if (!this.breaker.knows(origin)) this.origins.delete(origin);
      else if (this.fewestFreeSlots(origin, now) < below) {
        for (const [subscriptionId, tenantId] of receivers) {
          const freeSlots = this.freeSlots({ tenantId, subscriptionId, origin }, now);
          if (freeSlots < below) limits.set(subscriptionId, freeSlots);
        }
      }
    }
    return limits;
  }

  /** When the next pause ends, or its probe is anyone's. */
  nextOpening(now: number): number | null {
    const probes = [...this.origins.keys()].map((origin) => this.probedByAnyFrom(origin));
    const openings = [this.breaker.nextOpening(now) ?? now, ...probes].filter((at) => at > now);
    return openings.length > 0 ? Math.min(...openings) : null;
  }

  private fewestFreeSlots(origin: string, now: number): number {
    const underWay = this.origins.get(origin)?.underWay.values() ?? [];
    return shareOf(this.breaker.freeSlots(origin, now), Math.max(0, ...underWay));
  }

  private probedByAnyFrom(origin: string): number {
    const from = this.breaker.probedFrom(origin);
    return from === null ? 0 : from + PROBE_MS;
  }

  private originOf(origin: string): Origin {
    const known = this.origins.get(origin);
    if (known) return known;
    const fresh: Origin = {
      receivers: new Map(),
      underWay: new Map(),
      unreached: new Set(),
      reachedAt: Number.NEGATIVE_INFINITY,
      lastSucceeded: undefined,
    };
    this.origins.set(origin, fresh);
    return fresh;
  }
}

/** How many of the free slots a tenant may take that has some under way, one after the other. */
const shareOf = (free: number, underWay: number): number => Math.max(0, Math.ceil((free - underWay) / 2));

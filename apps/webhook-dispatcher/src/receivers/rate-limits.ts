import { Database } from '@crm/database';
import { Injectable, Logger } from '@nestjs/common';
import { SubscriptionQueueSignal } from '../queue/queue-signals.js';
import { SubscriptionRepository } from '../subscriptions/subscription.repository.js';
import type { Receiver } from './receiver.js';

/** Milliseconds of sending that a process reserves at a time: a statement four times a second. */
const RESERVED_MS = 250;
/** Milliseconds for which a permit stays valid; a later attempt has lost it. */
const VALID_MS = 1_000;
/** Milliseconds until a process asks again when others have reserved the permits of the next second. */
const ASK_AGAIN_MS = 500;

export type RateTarget = Pick<Receiver, 'tenantId' | 'subscriptionId' | 'rateLimit'>;

/** What this process has reserved for a receiver: one attempt each. */
interface Permits {
  readonly target: RateTarget;
  readonly gapMs: number;
  nextAt: number;
  left: number;
  isReserving: boolean;
  askAt: number;
  /** Tells waiting deliveries that the next permit is valid. */
  timer: NodeJS.Timeout | undefined;
}

/** Shared by all processes: each reserves permits in the database before it uses them, so that no attempt costs a statement. */
@Injectable()
export class RateLimits {
  private readonly logger = new Logger('RateLimits');
  private readonly permits = new Map<string, Permits>();
  private listener: () => void = () => undefined;

  constructor(
    private readonly database: Database,
    private readonly subscriptions: SubscriptionRepository,
    private readonly signal: SubscriptionQueueSignal,
  ) {}

  /** @param listener called when a receiver without a permit may have one */
  onPermit(listener: () => void): void {
    this.listener = listener;
  }

  /** How many attempts may begin now. At none, more are reserved and the listener is told. */
  available(target: RateTarget, now: number): number {
    if (target.rateLimit === null) return Number.POSITIVE_INFINITY;
    const permits = this.permitsOf(target, target.rateLimit);
    const available = countValid(permits, now);
    if (available === 0) this.await(permits, now);
    return available;
  }

  begun({ subscriptionId, rateLimit }: RateTarget): void {
    const permits = this.permits.get(subscriptionId);
    // A test or a sample is sent without a permit.
    if (rateLimit === null || !permits || permits.left === 0) return;
    permits.left -= 1;
    permits.nextAt += permits.gapMs;
    if (permits.left === 0) this.reserve(permits, performance.now());
  }

  /** Subscriptions with permits here, and how many are valid now. Forgets those without any. */
  narrowed(now: number): Map<string, number> {
    const limits = new Map<string, number>();
    for (const [subscriptionId, permits] of this.permits) {
      const valid = countValid(permits, now);
      if (permits.left > 0 || permits.isReserving || permits.askAt > now) limits.set(subscriptionId, valid);
      else this.forget(subscriptionId, permits);
    }
    return limits;
  }

  /** When a receiver without a valid permit has one or may ask for more; null when that is not known. */
  nextOpening(now: number): number | null {
    const waiting = [...this.permits.values()].filter((permits) => countValid(permits, now) === 0);
    const next = Math.min(...waiting.map(openingOf).filter((at) => at > now));
    return Number.isFinite(next) ? next : null;
  }

  private permitsOf(target: RateTarget, rateLimit: number): Permits {
    const gapMs = 1_000 / rateLimit;
    const known = this.permits.get(target.subscriptionId);
    if (known?.gapMs === gapMs) return known;
    // Permits of the previous rate are void.
    if (known) this.forget(target.subscriptionId, known);
    const permits: Permits = { target, gapMs, nextAt: 0, left: 0, isReserving: false, askAt: 0, timer: undefined };
    this.permits.set(target.subscriptionId, permits);
    return permits;
  }

  private await(permits: Permits, now: number): void {
    if (permits.left === 0) this.reserve(permits, now);
    if (permits.timer || permits.isReserving) return;
    permits.timer = setTimeout(() => this.tell(permits), Math.max(1, Math.ceil(openingOf(permits) - now)));
  }

  private reserve(permits: Permits, now: number): void {
    if (permits.isReserving || permits.askAt > now) return;
    permits.isReserving = true;
    this.ask(permits)
      .catch((error: unknown) => {
        permits.askAt = performance.now() + ASK_AGAIN_MS;
        const { subscriptionId } = permits.target;
        const msg = 'The permits of a receiver with a rate limit could not be reserved';
        this.logger.warn({ msg, subscriptionId, err: error });
      })
      .finally(() => {
        permits.isReserving = false;
        this.tell(permits);
      });
  }

  private async ask(permits: Permits): Promise<void> {
    const { tenantId, subscriptionId } = permits.target;
    const count = Math.max(1, Math.round(RESERVED_MS / permits.gapMs));
    const beginsInMs = await this.database.transaction(tenantId, (tx) =>
      this.subscriptions.reservePermits(tx, subscriptionId, count * permits.gapMs),
    );
    const now = performance.now();
    if (beginsInMs === null) {
      permits.askAt = now + ASK_AGAIN_MS;
    } else {
      permits.nextAt = now + beginsInMs;
      permits.left = count;
    }
  }

  private tell(permits: Permits): void {
    clearTimeout(permits.timer);
    permits.timer = undefined;
    this.listener();
    this.signal.signal();
  }

  private forget(subscriptionId: string, permits: Permits): void {
    clearTimeout(permits.timer);
    this.permits.delete(subscriptionId);
  }
}

/** Drops expired permits, and counts the valid ones. */
function countValid(permits: Permits, now: number): number {
  const expired = Math.min(permits.left, Math.max(0, Math.floor((now - VALID_MS - permits.nextAt) / permits.gapMs)));
  permits.left -= expired;
  permits.nextAt += expired * permits.gapMs;
  if (permits.left === 0 || permits.nextAt > now) return 0;
  return Math.min(permits.left, Math.floor((now - permits.nextAt) / permits.gapMs) + 1);
}

const openingOf = ({ left, nextAt, isReserving, askAt }: Permits): number => {
  if (left > 0) return nextAt;
  return isReserving ? Number.POSITIVE_INFINITY : askAt;
};

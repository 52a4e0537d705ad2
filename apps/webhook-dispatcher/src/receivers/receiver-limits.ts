import { Breaker } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config.js';
import type { AttemptOutcome } from './attempt-outcome.js';
import { RateLimits } from './rate-limits.js';
import type { Receiver } from './receiver.js';

/** Initial concurrency, unless the configuration allows less. */
const FIRST_PER_RECEIVER = 8;
/** The same for an origin, which may have receivers of many tenants. */
const FIRST_PER_ORIGIN = 64;

type Target = Pick<Receiver, 'tenantId' | 'subscriptionId' | 'origin' | 'rateLimit'>;

/**
 * Adaptive concurrency limits. A failed attempt counts against its receiver; without an answer also against the origin, so that
 * other receivers at a dead host need not find out themselves.
 */
@Injectable()
export class ReceiverLimits {
  readonly firstPerReceiver: number;
  private readonly receivers: Breaker;
  private readonly origins: Breaker;
  private readonly slow = new Map<string, number>();
  /** Known receivers at an origin; forgotten with it. */
  private readonly receiversAt = new Map<string, Set<string>>();

  constructor(
    private readonly rates: RateLimits,
    @Inject(WEBHOOK_CONFIG) { delivery }: Pick<WebhookConfig, 'delivery'>,
  ) {
    const most = delivery.concurrencyPerSubscription;
    this.firstPerReceiver = Math.min(FIRST_PER_RECEIVER, most);
    this.receivers = new Breaker({ first: this.firstPerReceiver, most });
    const { concurrency } = delivery;
    this.origins = new Breaker({ first: Math.min(FIRST_PER_ORIGIN, concurrency), most: concurrency });
  }

  mayBegin(target: Target, now: number): boolean {
    // Last, because asking for a permit announces an attempt.
    return !this.isFull(target, now) && this.rates.available(target, now) > 0;
  }

  isFull({ subscriptionId, origin }: Target, now: number): boolean {
    return this.receivers.room(subscriptionId, now) === 0 || this.origins.room(origin, now) === 0;
  }

  /** Whether attempts take long or are paused, so that another one is not worth waiting for. */
  isSlow({ subscriptionId, origin }: Target, now: number): boolean {
    return (
      this.slow.has(subscriptionId) ||
      this.receivers.isPaused(subscriptionId, now) ||
      this.origins.isPaused(origin, now)
    );
  }

  begun(target: Target): void {
    const { subscriptionId, origin } = target;
    this.rates.begun(target);
    this.receivers.begun(subscriptionId);
    this.origins.begun(origin);
    const known = this.receiversAt.get(origin);
    if (known) known.add(subscriptionId);
    else this.receiversAt.set(origin, new Set([subscriptionId]));
  }

  /** An attempt takes long. It gives back the slot of its origin, which may answer others. */
  becameSlow({ subscriptionId, origin }: Target): void {
    this.receivers.slow(subscriptionId);
    this.origins.left(origin);
    this.slow.set(subscriptionId, (this.slow.get(subscriptionId) ?? 0) + 1);
  }

  /** @param outcome null when the attempt was not made, which says nothing about the receiver */
  ended(target: Target, outcome: AttemptOutcome | null, wasSlow: boolean, now: number): void {
    const { subscriptionId, origin } = target;
    this.receivers.ended(subscriptionId, outcome === null || outcome.error === null, now);
    if (wasSlow) this.leftSlow(subscriptionId);
    else this.origins.left(origin);
    if (outcome === null) return;
    this.origins.judge(origin, outcome.httpStatus !== null, now);
    // Retry-After holds for the receiver, not for one delivery alone.
    if (outcome.retryAfterMs !== null)
      this.receivers.pause(subscriptionId, outcome.at.getTime() + outcome.retryAfterMs);
  }

  /** Subscriptions with a lower limit than others, and the limit. */
  narrowed(now: number): Map<string, number> {
    const limits = this.receivers.narrowed(now);
    for (const [origin, limit] of this.origins.narrowed(now)) {
      for (const subscriptionId of this.receiversAt.get(origin) ?? []) {
        limits.set(subscriptionId, Math.min(limit, limits.get(subscriptionId) ?? this.firstPerReceiver));
      }
    }
    for (const [subscriptionId, limit] of this.rates.narrowed(now)) {
      limits.set(subscriptionId, Math.min(limit, limits.get(subscriptionId) ?? this.firstPerReceiver));
    }
    for (const origin of this.receiversAt.keys()) {
      if (!this.origins.knows(origin)) this.receiversAt.delete(origin);
    }
    return limits;
  }

  /** When the next pause ends or the next permit is valid. */
  nextOpening(now: number): number | null {
    const known = [this.receivers, this.origins, this.rates].map((one) => one.nextOpening(now));
    const openings = known.filter((at) => at !== null);
    return openings.length > 0 ? Math.min(...openings) : null;
  }

  private leftSlow(subscriptionId: string): void {
    const left = (this.slow.get(subscriptionId) ?? 0) - 1;
    if (left > 0) this.slow.set(subscriptionId, left);
    else this.slow.delete(subscriptionId);
  }
}

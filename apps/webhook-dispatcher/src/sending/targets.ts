import { Breaker } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config.js';
import type { AttemptOutcome } from '../delivery/attempt-outcome.js';
import type { Receiver } from '../receiver/receiver.js';
import { SendRates } from './send-rates.js';

/** Concurrent attempts for a receiver of which nothing is known, unless the configuration allows fewer. */
const FIRST_PER_RECEIVER = 8;
/** The same of an origin, which may have the receivers of many tenants. */
const FIRST_PER_ORIGIN = 64;

type Target = Pick<Receiver, 'tenantId' | 'subscriptionId' | 'origin' | 'rateLimit'>;

/**
 * What this process knows of receivers and of the origins they are at: how many attempts each may have at a time. A failed
 * attempt counts against its receiver; one that got no answer also counts against the origin, so that the other receivers
 * at a dead host need not find out by themselves.
 */
@Injectable()
export class Targets {
  /** Concurrent attempts for a receiver of which this process knows nothing. */
  readonly firstPerReceiver: number;
  private readonly receivers: Breaker;
  private readonly origins: Breaker;
  /** Attempts in the slow lane by receiver. */
  private readonly slow = new Map<string, number>();
  /** Receivers that were seen at an origin; forgotten with it. */
  private readonly receiversAt = new Map<string, Set<string>>();

  constructor(
    private readonly rates: SendRates,
    @Inject(WEBHOOK_CONFIG) { delivery }: Pick<WebhookConfig, 'delivery'>,
  ) {
    const most = delivery.concurrencyPerSubscription;
    this.firstPerReceiver = Math.min(FIRST_PER_RECEIVER, most);
    this.receivers = new Breaker({ first: this.firstPerReceiver, most });
    this.origins = new Breaker({
      first: Math.min(FIRST_PER_ORIGIN, delivery.concurrency),
      most: delivery.concurrency,
    });
  }

  mayBegin(target: Target, now: number): boolean {
    // Asking for room there announces an attempt.
    return !this.isFull(target, now) && this.rates.room(target, now) > 0;
  }

  /** Whether as many attempts are under way as may be, at the receiver or at its origin. */
  isFull({ subscriptionId, origin }: Target, now: number): boolean {
    return this.receivers.room(subscriptionId, now) === 0 || this.origins.room(origin, now) === 0;
  }

  /** Whether attempts are under way that take long, or none may begin for a while: one more is not worth waiting for. */
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

  /** An attempt takes long. It no longer takes one of the places of its origin, which may answer others. */
  becameSlow({ subscriptionId, origin }: Target): void {
    this.receivers.slow(subscriptionId);
    this.origins.left(origin);
    this.slow.set(subscriptionId, (this.slow.get(subscriptionId) ?? 0) + 1);
  }

  /** @param outcome null when the attempt could not be made, which says nothing about the receiver */
  ended(target: Target, outcome: AttemptOutcome | null, wasSlow: boolean, now: number): void {
    const { subscriptionId, origin } = target;
    this.receivers.ended(subscriptionId, outcome === null || outcome.error === null, now);
    if (wasSlow) this.leftSlow(subscriptionId);
    else this.origins.left(origin);
    if (outcome === null) return;
    this.origins.judge(origin, outcome.httpStatus !== null, now);
    // What one delivery is told holds for the receiver, not for that delivery alone.
    if (outcome.retryAfterMs !== null)
      this.receivers.pause(subscriptionId, outcome.at.getTime() + outcome.retryAfterMs);
  }

  /** Subscriptions that may have fewer attempts than others, with how many. */
  narrowed(now: number): Map<string, number> {
    const rooms = this.receivers.narrowed(now);
    for (const [origin, room] of this.origins.narrowed(now)) {
      for (const subscriptionId of this.receiversAt.get(origin) ?? []) {
        rooms.set(subscriptionId, Math.min(room, rooms.get(subscriptionId) ?? this.firstPerReceiver));
      }
    }
    for (const [subscriptionId, room] of this.rates.narrowed(now)) {
      rooms.set(subscriptionId, Math.min(room, rooms.get(subscriptionId) ?? this.firstPerReceiver));
    }
    for (const origin of this.receiversAt.keys()) {
      if (!this.origins.knows(origin)) this.receiversAt.delete(origin);
    }
    return rooms;
  }

  /** When the next pause of a target ends, or the next turn of one with a rate comes; null when neither is known to. */
  nextOpening(now: number): number | null {
    const openings = [this.receivers, this.origins, this.rates]
      .map((one) => one.nextOpening(now))
      .filter((at) => at !== null);
    return openings.length > 0 ? Math.min(...openings) : null;
  }

  private leftSlow(subscriptionId: string): void {
    const left = (this.slow.get(subscriptionId) ?? 0) - 1;
    if (left > 0) this.slow.set(subscriptionId, left);
    else this.slow.delete(subscriptionId);
  }
}

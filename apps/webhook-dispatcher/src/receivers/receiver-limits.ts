import { createHash } from 'node:crypto';
import type { NOTICES, NoticePayload } from '@crm/contracts';
import { Breaker } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config.js';
import { OriginLimits } from './origin-limits.js';
import { RateLimits, type RateTarget } from './rate-limits.js';
import type { AttemptOutcome, Receiver } from './receiver.js';

/** Initial concurrency, unless the configuration allows less. */
const FIRST_PER_RECEIVER = 8;

type Target = RateTarget & Pick<Receiver, 'url' | 'origin'>;
type AttemptElsewhere = Omit<NoticePayload<typeof NOTICES.receiverAttempted>, 'process'>;

export const hashOfUrl = (url: string): string => createHash('sha256').update(url).digest('base64url');

/**
 * Adaptive concurrency limits. A failed attempt counts against its receiver, and what is the origin's fault against the origin, so that
 * other receivers at a dead host need not find out themselves. Times are those of `performance.now()`, which no step of the machine's
 * clock moves.
 */
@Injectable()
export class ReceiverLimits {
  readonly firstPerReceiver: number;
  private readonly receivers: Breaker;
  private readonly origins: OriginLimits;
  /** The hashes of the URLs where the receivers that are known here were attempted: another URL is another receiver. */
  private readonly urls = new Map<string, string>();
  private readonly slow = new Map<string, number>();

  constructor(
    private readonly rates: RateLimits,
    @Inject(WEBHOOK_CONFIG) { delivery }: Pick<WebhookConfig, 'delivery'>,
  ) {
    const most = delivery.concurrencyPerSubscription;
    this.firstPerReceiver = Math.min(FIRST_PER_RECEIVER, most);
    this.receivers = new Breaker({ first: this.firstPerReceiver, most });
    this.origins = new OriginLimits(delivery.concurrency);
  }

  mayBegin(target: Target, now: number): boolean {
    // Last, because asking for a permit announces an attempt.
    const isFree = this.receivers.freeSlots(target.subscriptionId, now) > 0 && this.origins.freeSlots(target, now) > 0;
    return isFree && this.rates.available(target, now) > 0;
  }

  /**
   * How many attempts may begin now for each, those before it counted. Who gets none is narrowed from then on, until a slot may be free.
   * @param wanted without a receiver nothing limits them
   */
  share(wanted: readonly { receiver: Target | undefined; count: number }[], now: number): number[] {
    const begun: Target[] = [];
    const counts = wanted.map(({ receiver, count }) => {
      if (!receiver) return count;
      const most = Math.min(count, this.receivers.freeSlots(receiver.subscriptionId, now));
      let admitted = 0;
      for (; admitted < most && this.origins.freeSlots(receiver, now) > 0; admitted += 1) {
        this.origins.begun(receiver);
        begun.push(receiver);
      }
      if (admitted === 0) this.origins.await(receiver);
      // Last, because asking for a permit announces an attempt.
      return admitted === 0 ? 0 : Math.min(admitted, this.rates.available(receiver, now));
    });
    for (const receiver of begun) this.origins.left(receiver);
    return counts;
  }

  /** Returns whether deliveries may wait for the end of an attempt at this receiver. */
  isFull({ subscriptionId, origin }: Target, now: number): boolean {
    return this.receivers.freeSlots(subscriptionId, now) === 0 || this.origins.isFull(origin, now);
  }

  /** Returns whether attempts take long or are paused, so that another one is not worth waiting for. */
  isSlow({ subscriptionId, origin }: Target, now: number): boolean {
    return (
      this.slow.has(subscriptionId) ||
      this.receivers.isPaused(subscriptionId, now) ||
      this.origins.isPaused(origin, now)
    );
  }

  /** @param ms another process was asked to leave the receiver alone for so many milliseconds, or has found it failing */
  heed({ subscriptionId, url }: Pick<Target, 'subscriptionId' | 'url'>, ms: number): void {
    const known = this.urls.get(subscriptionId);
    if (known !== undefined && known !== hashOfUrl(url)) {
      this.receivers.renew(subscriptionId);
      this.urls.delete(subscriptionId);
    }
    if (ms <= 0) return;
    this.receivers.join(subscriptionId, performance.now() + ms);
    this.urls.set(subscriptionId, hashOfUrl(url));
  }

  /** The end of a pause that other processes are to be told of; once. */
  takePause({ subscriptionId }: Target, now: number): number | null {
    return this.receivers.takePause(subscriptionId, now);
  }

  /** Another process has attempted the receiver. */
  endedElsewhere({ subscriptionId, urlHash, succeeded }: AttemptElsewhere, now: number): void {
    const known = this.urls.get(subscriptionId);
    // One of the two does not know yet that the URL has changed.
    if (known !== undefined && known !== urlHash) return;
    this.urls.set(subscriptionId, urlHash);
    this.receivers.judgeElsewhere(subscriptionId, succeeded, now);
  }

  /** Returns whether it has succeeded after failures, of which other processes are to be told; once. */
  takeRecovery({ subscriptionId }: Target): boolean {
    return this.receivers.takeRecovery(subscriptionId);
  }

  begun(target: Target): void {
    const { subscriptionId, url } = target;
    if (!this.urls.has(subscriptionId)) this.urls.set(subscriptionId, hashOfUrl(url));
    this.rates.begun(target);
    this.receivers.begun(subscriptionId);
    this.origins.begun(target);
  }

  /** An attempt takes long. It gives back the slot of its origin, which may answer others. */
  becameSlow(target: Target): void {
    const { subscriptionId } = target;
    this.receivers.slow(subscriptionId);
    this.origins.left(target);
    this.slow.set(subscriptionId, (this.slow.get(subscriptionId) ?? 0) + 1);
  }

  /** @param outcome null when the attempt was not made, which says nothing about the receiver */
  ended(target: Target, outcome: AttemptOutcome | null, wasSlow: boolean, now: number): void {
    const { subscriptionId } = target;
    this.receivers.ended(subscriptionId, outcome === null || outcome.error === null, now);
    if (wasSlow) this.leftSlow(subscriptionId);
    else this.origins.left(target);
    if (outcome === null) return;
    this.origins.judge(target, outcome, now);
    // Retry-After holds for the receiver, not for one delivery alone.
    if (outcome.retryAfterMs !== null) this.receivers.pause(subscriptionId, now + outcome.retryAfterMs);
  }

  /** Subscriptions with a lower limit than others, and the limit. */
  narrowed(now: number): Map<string, number> {
    const limits = this.receivers.narrowed(now);
    for (const others of [this.origins.narrowed(this.firstPerReceiver, now), this.rates.narrowed(now)]) {
      for (const [subscriptionId, limit] of others) {
        limits.set(subscriptionId, Math.min(limit, limits.get(subscriptionId) ?? this.firstPerReceiver));
      }
    }
    for (const subscriptionId of this.urls.keys()) {
      if (!this.receivers.knows(subscriptionId)) this.urls.delete(subscriptionId);
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

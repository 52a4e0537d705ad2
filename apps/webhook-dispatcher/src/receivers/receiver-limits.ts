import { createHash } from 'node:crypto';
import type { NOTICES, NoticePayload } from '@crm/contracts';
import { Breaker, Database } from '@crm/database';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config.js';
import { SubscriptionQueueSignal } from '../queue/queue-signals.js';
import { SubscriptionRepository } from '../subscriptions/subscription.repository.js';
import { OriginLimits } from './origin-limits.js';
import type { AttemptOutcome, Receiver } from './receiver.js';

/** Milliseconds of sending that a process reserves at a time: a statement four times a second. */
const RESERVED_MS = 250;
/** Milliseconds for which a permit stays valid; a later attempt has lost it. */
const VALID_MS = 1_000;
/** Milliseconds until a process asks again when others have reserved the permits of the next second. */
const ASK_AGAIN_MS = 500;

type RateTarget = Pick<Receiver, 'tenantId' | 'subscriptionId' | 'rateLimit'>;

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
    const hasRoom = this.receivers.room(target.subscriptionId, now) > 0 && this.origins.room(target, now) > 0;
    return hasRoom && this.rates.available(target, now) > 0;
  }

  /**
   * How many attempts may begin now for each, those before it counted. Who gets none is narrowed from then on, until there may be room.
   * @param wanted without a receiver nothing limits them
   */
  share(wanted: readonly { receiver: Target | undefined; count: number }[], now: number): number[] {
    const begun: Target[] = [];
    const counts = wanted.map(({ receiver, count }) => {
      if (!receiver) return count;
      const most = Math.min(count, this.receivers.room(receiver.subscriptionId, now));
      let room = 0;
      for (; room < most && this.origins.room(receiver, now) > 0; room += 1) {
        this.origins.begun(receiver);
        begun.push(receiver);
      }
      if (room === 0) this.origins.await(receiver);
      // Last, because asking for a permit announces an attempt.
      return room === 0 ? 0 : Math.min(room, this.rates.available(receiver, now));
    });
    for (const receiver of begun) this.origins.left(receiver);
    return counts;
  }

  /** Whether deliveries may wait for the end of an attempt at this receiver. */
  isFull({ subscriptionId, origin }: Target, now: number): boolean {
    return this.receivers.room(subscriptionId, now) === 0 || this.origins.isFull(origin, now);
  }

  /** Whether attempts take long or are paused, so that another one is not worth waiting for. */
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

  /** Whether it has succeeded after failures, of which other processes are to be told; once. */
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

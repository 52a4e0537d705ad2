import { TenantShares } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config.js';
import type { Receiver } from '../receivers/receiver.js';
import { RateLimits, ReceiverLimits } from '../receivers/receiver-limits.js';

/** Milliseconds after which an attempt is slow: it then costs a socket and nothing else. */
export const SLOW_MS = 1_000;
/** Waiting deliveries at which no more events begin: fewer than the slots serve in LONGEST_WAIT_MS. */
const WAITING_BEFORE_PAUSE = 256;
/** Waiting deliveries of one tenant; more are recorded as due, so that events of other tenants go on. */
const WAITING_PER_TENANT = 128;
/** Milliseconds that a delivery waits for a slot of this process before it is recorded as due. */
const LONGEST_WAIT_MS = SLOW_MS;
/** The same where its receiver is paused or has all its slots in use. */
const LONGEST_WAIT_FOR_RECEIVER_MS = 250;

interface Waiter {
  readonly receiver: Receiver;
  /** Whether it waits for its receiver rather than for this process. */
  readonly isForReceiver: boolean;
  readonly begin: (hasSlot: boolean) => void;
}

/** Slots of first attempts. Deliveries wait a moment for one, in order for a receiver, the receivers in turn. */
@Injectable()
export class AttemptSlots {
  private readonly shares: TenantShares;
  /** Waiting deliveries by subscription; the first subscription is next. */
  private readonly queues = new Map<string, Waiter[]>();
  private readonly waitingOf = new Map<string, number>();
  /** Deliveries that wait for this process rather than for their receiver. */
  private waitingForSlot = 0;
  private paused: (() => void)[] = [];

  constructor(
    private readonly limits: ReceiverLimits,
    rates: RateLimits,
    @Inject(WEBHOOK_CONFIG) { delivery }: Pick<WebhookConfig, 'delivery'>,
  ) {
    this.shares = new TenantShares(delivery.concurrency);
    rates.onPermit(() => this.serve());
  }

  tryAcquire(receiver: Receiver): boolean {
    const { tenantId } = receiver;
    if (!this.shares.mayBegin(tenantId) || !this.limits.mayBegin(receiver, Date.now())) return false;
    this.shares.begun(tenantId);
    this.limits.begun(receiver);
    return true;
  }

  /** @returns whether a slot was free within a moment and is taken */
  async acquire(receiver: Receiver): Promise<boolean> {
    const { tenantId, subscriptionId } = receiver;
    const queue = this.queues.get(subscriptionId);
    if (!queue && this.tryAcquire(receiver)) return true;
    const ofTenant = this.waitingOf.get(tenantId) ?? 0;
    if (ofTenant >= WAITING_PER_TENANT) return false;
    return new Promise<boolean>((resolve) => {
      const isForReceiver = !this.limits.mayBegin(receiver, Date.now());
      const longestMs = isForReceiver ? LONGEST_WAIT_FOR_RECEIVER_MS : LONGEST_WAIT_MS;
      const timer = setTimeout(() => this.leave(waiter, false), longestMs);
      const waiter: Waiter = {
        receiver,
        isForReceiver,
        begin: (hasSlot) => {
          clearTimeout(timer);
          resolve(hasSlot);
        },
      };
      if (queue) queue.push(waiter);
      else this.queues.set(subscriptionId, [waiter]);
      this.waitingOf.set(tenantId, ofTenant + 1);
      if (!isForReceiver) this.waitingForSlot += 1;
    });
  }

  /** Call it after the end of the attempt was told to `ReceiverLimits`. */
  release(tenantId: string): void {
    this.shares.ended(tenantId);
    this.serve();
  }

  /** Resolves when few enough deliveries wait for another event to begin. */
  async ready(): Promise<void> {
    while (this.waitingForSlot >= WAITING_BEFORE_PAUSE) {
      await new Promise<void>((resolve) => {
        this.paused.push(resolve);
      });
    }
  }

  private serve(): void {
    for (const [subscriptionId, queue] of this.queues) {
      if (this.shares.free === 0) return;
      const [first] = queue;
      if (!first || !this.tryAcquire(first.receiver)) continue;
      this.leave(first, true);
      if (queue.length === 0 || !this.queues.delete(subscriptionId)) continue;
      this.queues.set(subscriptionId, queue);
    }
  }

  private leave(waiter: Waiter, hasSlot: boolean): void {
    const { tenantId, subscriptionId } = waiter.receiver;
    const queue = this.queues.get(subscriptionId) ?? [];
    queue.splice(queue.indexOf(waiter), 1);
    if (queue.length === 0) this.queues.delete(subscriptionId);
    const ofTenant = (this.waitingOf.get(tenantId) ?? 0) - 1;
    if (ofTenant > 0) this.waitingOf.set(tenantId, ofTenant);
    else this.waitingOf.delete(tenantId);
    if (!waiter.isForReceiver) this.waitingForSlot -= 1;
    if (this.waitingForSlot < WAITING_BEFORE_PAUSE) for (const go of this.paused.splice(0)) go();
    waiter.begin(hasSlot);
  }
}

/** Thousands of attempts may take long, because each only waits for its receiver and leaves its slot to others. */
@Injectable()
export class SlowAttempts {
  private readonly shares: TenantShares;

  constructor(@Inject(WEBHOOK_CONFIG) { delivery }: Pick<WebhookConfig, 'delivery'>) {
    this.shares = new TenantShares(delivery.slowConcurrency);
  }

  /** @returns false at the limit of the process or of the tenant */
  tryAcquire(tenantId: string): boolean {
    if (!this.shares.mayBegin(tenantId)) return false;
    this.shares.begun(tenantId);
    return true;
  }

  release(tenantId: string): void {
    this.shares.ended(tenantId);
  }
}

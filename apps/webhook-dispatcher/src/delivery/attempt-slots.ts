import { RoundRobin, TenantShares } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config.js';
import { RateLimits } from '../receivers/rate-limits.js';
import type { Receiver } from '../receivers/receiver.js';
import { ReceiverLimits } from '../receivers/receiver-limits.js';

/** Milliseconds after which an attempt is slow: it then costs a socket and nothing else. */
export const SLOW_MS = 1_000;
/** Waiting deliveries at which no more events begin, except of tenants with few: fewer than the slots serve in LONGEST_WAIT_MS. */
const WAITING_BEFORE_PAUSE = 256;
/** Waiting deliveries of one tenant; more are recorded as due, so that events of other tenants go on. */
const WAITING_PER_TENANT = 128;
/** Milliseconds that a delivery waits for a slot of this process before it is recorded as due. */
const LONGEST_WAIT_MS = SLOW_MS;
/** The same where its receiver is paused or has all its slots in use. */
const LONGEST_WAIT_FOR_RECEIVER_MS = 250;

interface Waiter {
  readonly receiver: Receiver;
  /** True when it waits for its receiver rather than for this process. */
  readonly isForReceiver: boolean;
  readonly begin: (hasSlot: boolean) => void;
}

/** Slots of first attempts. Deliveries wait a moment for one, in order for a receiver, the tenants and their receivers in turn. */
@Injectable()
export class AttemptSlots {
  private readonly shares: TenantShares;
  /** Waiting deliveries by tenant and subscription; the first of each is next. */
  private readonly queues = new Map<string, Map<string, Waiter[]>>();
  private readonly waitingOf = new Map<string, number>();
  /** Deliveries that wait for this process rather than for their receiver. */
  private waitingForSlot = 0;
  private readonly paused = new RoundRobin<() => void>();

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
    if (!this.shares.mayBegin(tenantId) || !this.limits.mayBegin(receiver, performance.now())) return false;
    this.shares.begun(tenantId);
    this.limits.begun(receiver);
    return true;
  }

  /** @returns whether a slot was free within a moment and is taken */
  async acquire(receiver: Receiver): Promise<boolean> {
    const { tenantId, subscriptionId } = receiver;
    const queue = this.queues.get(tenantId)?.get(subscriptionId);
    if (!queue && this.tryAcquire(receiver)) return true;
    const ofTenant = this.waitingOf.get(tenantId) ?? 0;
    if (ofTenant >= WAITING_PER_TENANT) return false;
    return new Promise<boolean>((resolve) => {
      const isForReceiver = !this.limits.mayBegin(receiver, performance.now());
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
      else this.queuesOf(tenantId).set(subscriptionId, [waiter]);
      this.waitingOf.set(tenantId, ofTenant + 1);
      if (!isForReceiver) this.waitingForSlot += 1;
    });
  }

  /** Call it after the end of the attempt was told to `ReceiverLimits`. */
  release(tenantId: string): void {
    this.shares.ended(tenantId);
    this.serve();
  }

  /** Calls it when few enough deliveries wait for those of another event, of all tenants or of this one. @returns what it returns */
  async admit<T>(tenantId: string, begin: () => T): Promise<T> {
    if (this.mayBeginEvent(tenantId)) return begin();
    return new Promise<T>((resolve) => {
      this.paused.add(tenantId, () => resolve(begin()));
    });
  }

  private mayBeginEvent(tenantId: string): boolean {
    if (this.waitingForSlot < WAITING_BEFORE_PAUSE) return true;
    return (this.waitingOf.get(tenantId) ?? 0) * this.waitingOf.size < WAITING_BEFORE_PAUSE;
  }

  private queuesOf(tenantId: string): Map<string, Waiter[]> {
    const queues = this.queues.get(tenantId) ?? new Map<string, Waiter[]>();
    this.queues.set(tenantId, queues);
    return queues;
  }

  private serve(): void {
    for (const [tenantId, queues] of this.queues) {
      if (this.shares.free === 0) return;
      if (!this.shares.mayBegin(tenantId)) continue;
      const queue = [...queues.values()].find(([first]) => first && this.tryAcquire(first.receiver));
      const [first] = queue ?? [];
      if (!queue || !first) continue;
      const { subscriptionId } = first.receiver;
      // Both go to the end of their rounds.
      queues.delete(subscriptionId);
      queues.set(subscriptionId, queue);
      this.queues.delete(tenantId);
      this.queues.set(tenantId, queues);
      this.leave(first, true);
    }
  }

  private leave(waiter: Waiter, hasSlot: boolean): void {
    const { tenantId, subscriptionId } = waiter.receiver;
    const queues = this.queuesOf(tenantId);
    const queue = queues.get(subscriptionId) ?? [];
    queue.splice(queue.indexOf(waiter), 1);
    if (queue.length === 0) queues.delete(subscriptionId);
    if (queues.size === 0) this.queues.delete(tenantId);
    const ofTenant = (this.waitingOf.get(tenantId) ?? 0) - 1;
    if (ofTenant > 0) this.waitingOf.set(tenantId, ofTenant);
    else this.waitingOf.delete(tenantId);
    if (!waiter.isForReceiver) this.waitingForSlot -= 1;
    waiter.begin(hasSlot);
    const mayBegin = (of: string) => this.mayBeginEvent(of);
    for (let begin = this.paused.take(mayBegin); begin; begin = this.paused.take(mayBegin)) begin();
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

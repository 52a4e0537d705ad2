import { randomUUID } from 'node:crypto';
import { Database, type NarrowTransaction } from '@crm/database';
import { Breaker, type Claimed, type Room, Worker } from '@crm/worker';
import { Inject, Injectable } from '@nestjs/common';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config.js';
import { SubscriptionQueueRepository } from '../subscription-queue/subscription-queue.repository.js';
import { SubscriptionQueueSignal } from '../subscription-queue/subscription-queue.signal.js';
import type { ClaimedDelivery } from './delivery.js';
import { DeliverySender } from './delivery.sender.js';
import { DueDeliveryRepository } from './due-delivery.repository.js';

/** Milliseconds that a claim holds: twice what an attempt may take, so that only a dead process loses one. */
const CLAIM_MS = 30_000;
const LONGEST_PAUSE_MS = 1_000;

/** Claims due deliveries and attempts each of them; each subscription has a share of the places, as each tenant has. */
@Injectable()
export class DeliveryWorker extends Worker<ClaimedDelivery> {
  private readonly breaker: Breaker;
  private readonly perSubscription: number;

  constructor(
    private readonly database: Database,
    private readonly due: DueDeliveryRepository,
    private readonly queues: SubscriptionQueueRepository,
    private readonly sender: DeliverySender,
    signal: SubscriptionQueueSignal,
    @Inject(WEBHOOK_CONFIG) { delivery }: Pick<WebhookConfig, 'delivery'>,
  ) {
    super({ places: delivery.concurrency, longestPauseMs: LONGEST_PAUSE_MS, wake: signal });
    this.perSubscription = delivery.concurrencyPerSubscription;
    this.breaker = new Breaker(this.perSubscription);
  }

  protected claim(room: Room): Promise<Claimed<ClaimedDelivery>> {
    const bySubscription = this.breaker.narrowed(Date.now());
    return this.database.crossTenant(async (tx) => {
      const subscriptions = { perSubscription: this.perSubscription, bySubscription };
      const { deliveries, isCut } = await this.due.claim(tx, randomUUID(), { ...room, ...subscriptions }, CLAIM_MS);
      const isLookNear = deliveries.length > 0 || isCut;
      return { items: deliveries, isCut, dueInMs: isLookNear ? 0 : await this.dueInMs(tx, room) };
    });
  }

  protected async release(deliveries: readonly ClaimedDelivery[]): Promise<void> {
    await this.database.crossTenant((tx) => this.due.release(tx, deliveries));
  }

  protected override accepts({ subscriptionId }: ClaimedDelivery): boolean {
    return this.breaker.room(subscriptionId, Date.now()) > 0;
  }

  protected async work(delivery: ClaimedDelivery): Promise<void> {
    const { subscriptionId } = delivery;
    this.breaker.begun(subscriptionId);
    // An attempt that cannot be made says nothing about the receiver.
    let succeeded = true;
    try {
      succeeded = (await this.sender.attempt(delivery)) ?? true;
    } finally {
      this.breaker.ended(subscriptionId, succeeded, Date.now());
    }
  }

  protected override describe({ tenantId, id }: ClaimedDelivery): Record<string, unknown> {
    return { tenantId, deliveryId: id };
  }

  /** Milliseconds until a queue that may be claimed is due, or a paused subscription may be claimed again. */
  private async dueInMs(tx: NarrowTransaction, { fullTenants }: Room): Promise<number | null> {
    const now = Date.now();
    const queueDueInMs = await this.queues.findDueInMs(tx, this.breaker.closed(now), fullTenants);
    const opening = this.breaker.nextOpening(now);
    if (opening === null) return queueDueInMs;
    return Math.min(queueDueInMs ?? Number.POSITIVE_INFINITY, opening - now);
  }
}

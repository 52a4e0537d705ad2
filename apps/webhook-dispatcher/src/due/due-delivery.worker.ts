import { RevocationSource } from '@crm/access';
import {
  type Claimed,
  Database,
  LOOK_AGAIN_SOON,
  millisecondsOfId,
  type NarrowTransaction,
  newId,
  type Room,
  Worker,
} from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config.js';
import { afterAttempt, afterAttemptOfHead } from '../delivery/delivery-state.js';
import type { Receiver } from '../receiver/receiver.js';
import { ReceiverDirectory } from '../receiver/receiver-directory.js';
import { maySend } from '../receiver/removed-receiver.js';
import { Recorder } from '../recording/recorder.js';
import type { Settlement } from '../recording/records.js';
import { ReceiverHealth } from '../sending/receiver-health.js';
import { Sender } from '../sending/sender.js';
import { sendingMetrics } from '../sending/sending-metrics.js';
import { Targets } from '../sending/targets.js';
import { SubscriptionQueueRepository } from '../subscription-queue/subscription-queue.repository.js';
import { SubscriptionQueueSignal } from '../subscription-queue/subscription-queue.signal.js';
import { type ClaimedDelivery, DueDeliveryRepository } from './due-delivery.repository.js';
import { DueHolder } from './due-holder.js';

/** Milliseconds that a claim holds: twice what an attempt may take, so that only a dead process loses one. */
const CLAIM_MS = 30_000;
/** A process tells itself what it makes due; this is for what others leave behind. */
const LONGEST_PAUSE_MS = 5_000;

interface DueDelivery extends ClaimedDelivery {
  /** Null when the subscription was deleted. */
  readonly receiver: Receiver | null;
}

/** Attempts what waits for an attempt: retries, and first attempts for which there was no place when the event came. */
@Injectable()
export class DueDeliveryWorker extends Worker<DueDelivery> {
  constructor(
    private readonly database: Database,
    private readonly due: DueDeliveryRepository,
    private readonly queues: SubscriptionQueueRepository,
    private readonly directory: ReceiverDirectory,
    private readonly targets: Targets,
    private readonly sender: Sender,
    private readonly recorder: Recorder,
    private readonly health: ReceiverHealth,
    private readonly holder: DueHolder,
    private readonly revocations: RevocationSource,
    signal: SubscriptionQueueSignal,
    @Inject(WEBHOOK_CONFIG) private readonly config: Pick<WebhookConfig, 'delivery'>,
  ) {
    super({ places: config.delivery.concurrency, longestPauseMs: LONGEST_PAUSE_MS, wake: signal });
  }

  protected async claim({ places, fullTenants }: Room): Promise<Claimed<DueDelivery>> {
    if (!this.revocations.ready) return LOOK_AGAIN_SOON;
    // What a suspended tenant has due waits until it is reinstated.
    const room = { places, fullTenants: [...fullTenants, ...this.revocations.suspendedTenants()] };
    const bySubscription = this.targets.narrowed(Date.now());
    const { deliveries, isCut, dueInMs } = await this.database.crossTenant(async (tx) => {
      const claimed = await this.due.claim(
        tx,
        newId(),
        { ...room, perSubscription: this.targets.firstPerReceiver, bySubscription },
        CLAIM_MS,
      );
      const isLookNear = claimed.deliveries.length > 0 || claimed.isCut;
      return { ...claimed, dueInMs: isLookNear ? 0 : await this.dueInMs(tx, room, bySubscription) };
    });
    return { items: await this.withReceivers(deliveries), isCut, dueInMs };
  }

  protected async release(deliveries: readonly DueDelivery[]): Promise<void> {
    await this.database.crossTenant(async (tx) => this.due.release(tx, deliveries));
  }

  protected override accepts({ receiver, tenantId }: DueDelivery): boolean {
    if (this.revocations.isSuspended(tenantId)) return false;
    return !receiver?.enabled || this.targets.mayBegin(receiver, Date.now());
  }

  protected async work(delivery: DueDelivery, _stopping: AbortSignal, yieldPlace: () => void): Promise<void> {
    const { receiver, body } = delivery;
    if (receiver === null) {
      await this.giveUp(delivery, { code: 'subscription_deleted', message: 'The subscription was deleted' });
    } else if (!receiver.enabled) {
      await this.hold(delivery);
    } else if (body === null) {
      await this.giveUp(delivery, { code: 'expired', message: 'The event is no longer kept' });
    } else if (!maySend(receiver, body)) {
      await this.giveUp(delivery, { code: 'subscription_inactive', message: 'The app was uninstalled' });
    } else {
      await this.attempt(delivery, receiver, body, yieldPlace);
    }
  }

  protected override describe({ tenantId, id }: DueDelivery): Record<string, unknown> {
    return { tenantId, deliveryId: id };
  }

  private async attempt(
    delivery: DueDelivery,
    receiver: Receiver,
    body: string,
    yieldPlace: () => void,
  ): Promise<void> {
    this.targets.begun(receiver);
    const attempts = delivery.attempts + 1;
    if (attempts === 1) {
      const waitedMs = Math.max(0, Date.now() - millisecondsOfId(delivery.eventId));
      sendingMetrics.firstAttemptDelay.observe({ lane: 'due' }, waitedMs / 1000);
    }
    const message = { eventId: delivery.eventId, body, traceparent: delivery.traceparent ?? undefined };
    const outcome = await this.sender.attempt(receiver, message, yieldPlace);
    const { retryDelaysMs } = this.config.delivery;
    // Subscriptions of apps have no order, so that none of a head is removed.
    const next = delivery.isHead
      ? afterAttemptOfHead(retryDelaysMs, attempts, outcome, Math.random(), receiver.onStall)
      : afterAttempt(retryDelaysMs, attempts, outcome, Math.random(), !receiver.isRemoved);
    const { status, nextAttemptAt: dueAt, isSetAside } = next;
    // A corrected URL also counts for the deliveries that wait for their next attempt.
    const { url } = receiver;
    const isOurs = await this.settle(delivery, { url, status, attempts, outcome, reason: null, dueAt, isSetAside });
    if (isOurs) this.health.note(receiver, outcome, next);
  }

  /** Ends a delivery without an attempt. */
  private async giveUp(delivery: DueDelivery, reason: { code: string; message: string }): Promise<void> {
    const { attempts, receiver } = delivery;
    await this.settle(delivery, {
      url: receiver?.url ?? null,
      status: 'failed',
      attempts,
      outcome: null,
      reason,
      dueAt: null,
      isSetAside: false,
    });
  }

  /** Keeps a delivery for when its subscription is active again. */
  private async hold({ tenantId, id: deliveryId, subscriptionId, claim, isHead }: DueDelivery): Promise<void> {
    this.holder.begin({ tenantId, subscriptionId });
    await this.recorder.write({ kind: 'hold', tenantId, deliveryId, subscriptionId, claim, isHead });
  }

  private settle(
    { tenantId, id: deliveryId, subscriptionId, claim, isHead }: DueDelivery,
    settled: Pick<Settlement, 'url' | 'status' | 'attempts' | 'outcome' | 'reason' | 'dueAt' | 'isSetAside'>,
  ): Promise<boolean> {
    const known = { tenantId, deliveryId, subscriptionId, claim, isHead };
    return this.recorder.write({ kind: 'settlement', ...known, ...settled });
  }

  private async withReceivers(deliveries: readonly ClaimedDelivery[]): Promise<DueDelivery[]> {
    return Promise.all(
      deliveries.map(async (delivery) => {
        const receivers = await this.directory.of(delivery.tenantId);
        return { ...delivery, receiver: receivers.get(delivery.subscriptionId) ?? null };
      }),
    );
  }

  /** Milliseconds until a queue that may be claimed is due, or a paused target may be claimed again. */
  private async dueInMs(
    tx: NarrowTransaction,
    { fullTenants }: Room,
    bySubscription: ReadonlyMap<string, number>,
  ): Promise<number | null> {
    const now = Date.now();
    const closed = [...bySubscription].filter(([, places]) => places === 0).map(([id]) => id);
    const queueDueInMs = await this.queues.findDueInMs(tx, closed, fullTenants);
    const opening = this.targets.nextOpening(now);
    if (opening === null) return queueDueInMs;
    return Math.min(queueDueInMs ?? Number.POSITIVE_INFINITY, opening - now);
  }
}

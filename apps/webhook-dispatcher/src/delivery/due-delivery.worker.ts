import { RevocationSource } from '@crm/access';
import { type Capacity, type Claimed, Database, LOOK_AGAIN_SOON, millisecondsOfId, newId, Worker } from '@crm/database';
import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config.js';
import type { ClaimedEntry, Settlement } from '../ledger/ledger-entry.js';
import { LedgerWriter } from '../ledger/ledger-writer.js';
import { HoldRepository } from '../queue/hold.repository.js';
import { SubscriptionQueueSignal } from '../queue/queue-signals.js';
import { type SubscriptionKey, SubscriptionQueueRepository } from '../queue/subscription-queue.repository.js';
import { isThrottled, maySend, type Receiver } from '../receivers/receiver.js';
import { ReceiverDirectory, type Receivers } from '../receivers/receiver-directory.js';
import { ReceiverHealth } from '../receivers/receiver-health.js';
import { ReceiverLimits } from '../receivers/receiver-limits.js';
import { afterAttempt, afterAttemptOfHead, CLAIM_MS } from './attempt.js';
import {
  type AdmitQueues,
  type ClaimedDelivery,
  DueDeliveryRepository,
  type DueQueue,
} from './due-delivery.repository.js';
import { deliveryMetrics, Sender } from './sender.js';

/** Due deliveries of other processes are found after this pause; a process signals its own. */
const LONGEST_PAUSE_MS = 5_000;

interface DueDelivery extends ClaimedDelivery {
  /** Null when the subscription was deleted. */
  readonly receiver: Receiver | null;
}

const HELD_PER_TRANSACTION = 1_000;

/** Holds the backlog of a subscription that was paused or disabled in large steps, instead of claiming each delivery. */
@Injectable()
export class BacklogHolder implements BeforeApplicationShutdown {
  private readonly logger = new Logger('BacklogHolder');
  private readonly holding = new Map<string, Promise<void>>();
  /** Subscriptions of revoked apps that can hold deliveries. */
  private readonly opened = new Set<string>();
  private isStopping = false;

  constructor(
    private readonly database: Database,
    private readonly holds: HoldRepository,
    private readonly directory: ReceiverDirectory,
  ) {}

  /** Nobody has paused the subscription of a revoked app, so it holds nothing yet. */
  async open({ tenantId, subscriptionId }: SubscriptionKey): Promise<void> {
    if (this.opened.has(subscriptionId)) return;
    await this.database.transaction(tenantId, (tx) => this.holds.open(tx, subscriptionId));
    this.opened.add(subscriptionId);
  }

  /** Never rejects. */
  begin(hold: SubscriptionKey): void {
    const { tenantId, subscriptionId } = hold;
    if (this.isStopping || this.holding.has(subscriptionId)) return;
    const held = this.holdDue(hold)
      .catch((error: unknown) => {
        const msg = 'The backlog of an inactive subscription could not be held; its next claim tries again';
        this.logger.warn({ msg, tenantId, subscriptionId, err: error });
      })
      .finally(() => this.holding.delete(subscriptionId));
    this.holding.set(subscriptionId, held);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await Promise.all(this.holding.values());
  }

  private async holdDue(hold: SubscriptionKey): Promise<void> {
    let count = HELD_PER_TRANSACTION;
    while (count === HELD_PER_TRANSACTION && !this.isStopping && (await this.isInactive(hold))) {
      count = await this.database.crossTenant((tx) => {
        this.holds.lock(tx, hold);
        return this.holds.holdDue(tx, hold, HELD_PER_TRANSACTION);
      });
    }
  }

  private async isInactive({ tenantId, subscriptionId }: SubscriptionKey): Promise<boolean> {
    // It may have been resumed, and the notice missed.
    const receivers = await this.directory.read(tenantId);
    return receivers.get(subscriptionId)?.enabled === false;
  }
}

/** Attempts due deliveries: retries, and first attempts for which there was no slot when the event came. */
@Injectable()
export class DueDeliveryWorker extends Worker<DueDelivery> {
  constructor(
    private readonly due: DueDeliveryRepository,
    private readonly queues: SubscriptionQueueRepository,
    private readonly directory: ReceiverDirectory,
    private readonly limits: ReceiverLimits,
    private readonly sender: Sender,
    private readonly ledger: LedgerWriter,
    private readonly health: ReceiverHealth,
    private readonly backlogs: BacklogHolder,
    private readonly revocations: RevocationSource,
    signal: SubscriptionQueueSignal,
    @Inject(WEBHOOK_CONFIG) private readonly config: Pick<WebhookConfig, 'delivery'>,
  ) {
    super({ slots: config.delivery.concurrency, longestPauseMs: LONGEST_PAUSE_MS, wake: signal });
  }

  protected async claim({ slots, fullTenants }: Capacity): Promise<Claimed<DueDelivery>> {
    if (!this.revocations.ready) return LOOK_AGAIN_SOON;
    // Deliveries of a suspended tenant wait until it is reinstated.
    const capacity = { slots, fullTenants: [...fullTenants, ...this.revocations.suspendedTenants()] };
    const bySubscription = this.limits.narrowed(performance.now());
    const limits = { ...capacity, perSubscription: this.limits.firstPerReceiver, bySubscription };
    const known = new Map<string, Receivers>();
    const admit: AdmitQueues = (queues) => this.admit(queues, known);
    const { deliveries, isCut } = await this.due.claim(newId(), limits, CLAIM_MS, admit);
    const dueInMs = deliveries.length > 0 || isCut ? 0 : await this.dueInMs(capacity);
    return { items: await this.withReceivers(deliveries, known), isCut, dueInMs };
  }

  protected async release(deliveries: readonly DueDelivery[]): Promise<void> {
    await this.due.release(deliveries);
  }

  protected override accepts({ receiver, tenantId }: DueDelivery): boolean {
    if (this.revocations.isSuspended(tenantId)) return false;
    return !receiver?.enabled || this.limits.mayBegin(receiver, performance.now());
  }

  protected async work(delivery: DueDelivery, _stopping: AbortSignal, releaseSlot: () => void): Promise<void> {
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
      await this.attempt(delivery, receiver, body, releaseSlot);
    }
  }

  protected override describe({ tenantId, id }: DueDelivery): Record<string, unknown> {
    return { tenantId, deliveryId: id };
  }

  private async attempt(
    delivery: DueDelivery,
    receiver: Receiver,
    body: string,
    releaseSlot: () => void,
  ): Promise<void> {
    this.limits.begun(receiver);
    const attempts = delivery.attempts + 1;
    if (attempts === 1) {
      const waitedMs = Math.max(0, Date.now() - millisecondsOfId(delivery.eventId));
      deliveryMetrics.firstAttemptDelay.observe({ lane: 'due' }, waitedMs / 1000);
    }
    const message = { eventId: delivery.eventId, body, traceparent: delivery.traceparent ?? undefined };
    const outcome = await this.sender.attempt(receiver, message, releaseSlot);
    const { retryDelaysMs } = this.config.delivery;
    // Subscriptions of apps have no order, so a head is never of a removed one.
    const counted = attempts - delivery.throttled;
    const next = delivery.isHead
      ? afterAttemptOfHead(retryDelaysMs, counted, outcome, Math.random(), receiver.onStall)
      : afterAttempt(retryDelaysMs, counted, outcome, Math.random(), !receiver.isRemoved);
    const throttled = delivery.throttled + (isThrottled(outcome) ? 1 : 0);
    const { status, nextAttemptAt: dueAt, isSetAside } = next;
    // A corrected URL is also used for deliveries that wait for their next attempt.
    const { url } = receiver;
    const isOurs = await this.settle(delivery, { url, status, attempts, outcome, throttled, dueAt, isSetAside });
    if (isOurs) this.health.note(receiver, outcome);
  }

  private async giveUp(delivery: DueDelivery, reason: { code: string; message: string }): Promise<void> {
    const { attempts, throttled, receiver } = delivery;
    await this.settle(delivery, {
      url: receiver?.url ?? null,
      status: 'failed',
      attempts,
      outcome: null,
      throttled,
      reason,
      dueAt: null,
      isSetAside: false,
    });
  }

  private async hold({
    tenantId,
    id: deliveryId,
    receiver,
    subscriptionId,
    claim,
    isHead,
  }: DueDelivery): Promise<void> {
    if (receiver?.isRevoked) await this.backlogs.open({ tenantId, subscriptionId });
    this.backlogs.begin({ tenantId, subscriptionId });
    await this.ledger.write({ kind: 'hold', tenantId, deliveryId, subscriptionId, claim, isHead });
  }

  private settle(
    { tenantId, id: deliveryId, subscriptionId, claim, isHead }: DueDelivery,
    settled: Omit<Settlement, 'kind' | keyof ClaimedEntry>,
  ): Promise<boolean> {
    const known = { tenantId, deliveryId, subscriptionId, claim, isHead };
    return this.ledger.write({ kind: 'settlement', ...known, ...settled });
  }

  /** Queues with what may begin now; the others are left out of looks from now on, until a slot may be free. @param known gets the receivers */
  private async admit(queues: readonly DueQueue[], known: Map<string, Receivers>): Promise<DueQueue[]> {
    await this.readReceivers(queues, known, (tenantId) => this.directory.of(tenantId));
    const wanted = queues.map(({ tenantId, subscriptionId, count }) => {
      const receiver = known.get(tenantId)?.get(subscriptionId);
      return { receiver: receiver?.enabled ? receiver : undefined, count };
    });
    const counts = this.limits.share(wanted, performance.now());
    return queues.flatMap((queue, index) => (counts[index] ? { ...queue, count: counts[index] } : []));
  }

  /**
   * Receivers are read when the deliveries are claimed or later, whatever notices this process has missed. Deliveries of a
   * workspace whose receivers cannot be read now wait until their claim ends; the others go on.
   */
  private async withReceivers(
    deliveries: readonly ClaimedDelivery[],
    known: Map<string, Receivers>,
  ): Promise<DueDelivery[]> {
    const versionOf = ({ tenantId, subscriptionId }: SubscriptionKey) =>
      known.get(tenantId)?.get(subscriptionId)?.version ?? null;
    const changed = deliveries.filter((one) => !known.has(one.tenantId) || versionOf(one) !== one.version);
    for (const { tenantId } of changed) known.delete(tenantId);
    await this.readReceivers(changed, known, (tenantId) => this.directory.read(tenantId));
    return deliveries.flatMap((delivery) => {
      const receivers = known.get(delivery.tenantId);
      return receivers ? { ...delivery, receiver: receivers.get(delivery.subscriptionId) ?? null } : [];
    });
  }

  /** Logs which cannot be read. */
  private async readReceivers(
    of: readonly SubscriptionKey[],
    known: Map<string, Receivers>,
    read: (tenantId: string) => Receivers | Promise<Receivers>,
  ): Promise<void> {
    const one = async (tenantId: string) => {
      try {
        known.set(tenantId, await read(tenantId));
      } catch (error) {
        this.logger.error({ msg: 'The receivers of a workspace could not be read', tenantId, err: error });
      }
    };
    await Promise.all([...new Set(of.map(({ tenantId }) => tenantId))].map(one));
  }

  /** Milliseconds until a queue is due, or a paused receiver opens again. */
  private async dueInMs({ fullTenants }: Capacity): Promise<number | null> {
    const now = performance.now();
    const closed = [...this.limits.narrowed(now)].filter(([, most]) => most === 0).map(([id]) => id);
    const queueDueInMs = await this.queues.findDueInMs(closed, fullTenants);
    const opening = this.limits.nextOpening(now);
    if (opening === null) return queueDueInMs;
    return Math.min(queueDueInMs ?? Number.POSITIVE_INFINITY, opening - now);
  }
}

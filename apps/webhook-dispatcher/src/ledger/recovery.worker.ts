import { type Capacity, type Claimed, Database, newId, type TenantTransaction, Worker } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { HoldRepository } from '../queue/hold.repository.js';
import { DeliveryOrderSignal, SubscriptionQueueSignal } from '../queue/queue-signals.js';
import { SubscriptionQueueRepository } from '../queue/subscription-queue.repository.js';
import { SubscriptionRepository } from '../subscriptions/subscription.repository.js';
import {
  type ClaimedRecovery,
  type MadeDue,
  NONE_DUE,
  type RecoveryProgress,
  RecoveryRepository,
  type RecoveryStep,
} from './recovery.repository.js';
import { RecoverySignal } from './recovery.service.js';

const CONCURRENCY = 4;
/** A step is one short transaction. */
const CLAIM_MS = 30_000;
const LONGEST_PAUSE_MS = 5_000;
/** Deliveries of a subscription that a recovery makes due at a time: about as many as are sent between two steps. */
export const DUE_AT_A_TIME = 256;
const STEP_MS = 250;

/** Makes held deliveries due, the oldest events first, in small steps, so that they do not displace new events. */
@Injectable()
export class RecoveryWorker extends Worker<ClaimedRecovery> {
  constructor(
    private readonly database: Database,
    private readonly recoveries: RecoveryRepository,
    private readonly subscriptions: SubscriptionRepository,
    private readonly holds: HoldRepository,
    private readonly queues: SubscriptionQueueRepository,
    private readonly due: SubscriptionQueueSignal,
    private readonly order: DeliveryOrderSignal,
    signal: RecoverySignal,
  ) {
    super({ slots: CONCURRENCY, longestPauseMs: LONGEST_PAUSE_MS, wake: signal });
  }

  protected async claim(capacity: Capacity): Promise<Claimed<ClaimedRecovery>> {
    const items = await this.recoveries.claim(newId(), capacity, CLAIM_MS);
    const dueInMs = items.length > 0 ? 0 : await this.recoveries.findDueInMs(capacity.fullTenants);
    return { items, dueInMs };
  }

  protected async release(recoveries: readonly ClaimedRecovery[]): Promise<void> {
    await this.recoveries.release(recoveries);
  }

  protected override describe({ tenantId, subscriptionId }: ClaimedRecovery): Record<string, unknown> {
    return { tenantId, subscriptionId };
  }

  protected async work(recovery: ClaimedRecovery): Promise<void> {
    const { tenantId, subscriptionId } = recovery;
    await this.database.transaction(tenantId, async (tx) => {
      this.holds.lock(tx, { tenantId, subscriptionId });
      const step = await this.recoveries.lock(tx, recovery);
      if (step === null) return;
      this.recoveries.advance(tx, subscriptionId, await this.step(tx, subscriptionId, step));
    });
  }

  private async step(tx: TenantTransaction, subscriptionId: string, step: RecoveryStep): Promise<RecoveryProgress> {
    const { nextId } = step;
    const subscription = await this.subscriptions.find(tx, subscriptionId);
    if (!subscription?.enabled) return { state: 'stopped', done: 0, nextId, nextInMs: null };
    const left = step.total - step.done;
    const limit = Math.min(left, DUE_AT_A_TIME - (await this.recoveries.countDue(tx, subscriptionId, DUE_AT_A_TIME)));
    if (left > 0 && limit <= 0) return { state: 'running', done: 0, nextId, nextInMs: STEP_MS };
    const made = left > 0 ? await this.recoveries.makeDue(tx, subscriptionId, step, limit) : NONE_DUE;
    this.sendSoon(tx, subscriptionId, made);
    // Fewer than asked for: the others were sent by hand or are no longer kept.
    const isDone = made.ids.length === left || made.ids.length < limit;
    const progress = { done: made.ids.length, nextId: made.ids.at(-1) ?? nextId };
    return isDone
      ? { ...progress, state: 'completed', nextInMs: null }
      : { ...progress, state: 'running', nextInMs: STEP_MS };
  }

  private sendSoon(tx: TenantTransaction, subscriptionId: string, { ids, held }: MadeDue): void {
    if (ids.length === 0) return;
    if (held > 0) this.holds.reduce(tx, subscriptionId, held);
    this.queues.wake(tx, [{ subscriptionId, dueAt: null }]);
    tx.afterCommit(() => {
      this.due.signal();
      this.order.signal();
    });
  }
}

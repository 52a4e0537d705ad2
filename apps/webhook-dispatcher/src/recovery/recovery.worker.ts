import { type Claimed, Database, newId, type Room, type TenantTransaction, Worker } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { HoldingRepository } from '../holding/holding.repository.js';
import { RecordLineSignal } from '../record-line/record-line.signal.js';
import { SubscriptionRepository } from '../subscription/subscription.repository.js';
import { SubscriptionQueueRepository } from '../subscription-queue/subscription-queue.repository.js';
import { SubscriptionQueueSignal } from '../subscription-queue/subscription-queue.signal.js';
import {
  type ClaimedRecovery,
  type MadeDue,
  type RecoveryProgress,
  RecoveryRepository,
  type RecoveryStep,
} from './recovery.repository.js';
import { RecoverySignal } from './recovery.signal.js';

/** Recoveries that this process advances at the same time. */
const PLACES = 4;
/** Milliseconds that a claim holds: a step is one short transaction. */
const CLAIM_MS = 30_000;
const LONGEST_PAUSE_MS = 5_000;
/**
 * Deliveries of a subscription that are due at a time because of a recovery: what the worker of due deliveries sends between
 * two steps. The rest is in the ledger alone, where it is in nobody's way.
 */
export const DUE_AT_A_TIME = 256;
/** Milliseconds between two steps. */
const STEP_MS = 250;

/**
 * Makes due what subscriptions hold, the oldest events first, a few at a time: they are sent like everything that is due, in
 * turn with other subscriptions, behind first attempts of the same one. Each step is one transaction, so that a process that
 * dies leaves nothing half done; another goes on when its claim ends.
 */
@Injectable()
export class RecoveryWorker extends Worker<ClaimedRecovery> {
  constructor(
    private readonly database: Database,
    private readonly recoveries: RecoveryRepository,
    private readonly subscriptions: SubscriptionRepository,
    private readonly holds: HoldingRepository,
    private readonly queues: SubscriptionQueueRepository,
    private readonly due: SubscriptionQueueSignal,
    private readonly lines: RecordLineSignal,
    signal: RecoverySignal,
  ) {
    super({ places: PLACES, longestPauseMs: LONGEST_PAUSE_MS, wake: signal });
  }

  protected async claim(room: Room): Promise<Claimed<ClaimedRecovery>> {
    return this.database.crossTenant(async (tx) => {
      const items = await this.recoveries.claim(tx, newId(), room, CLAIM_MS);
      const dueInMs = items.length > 0 ? 0 : await this.recoveries.findDueInMs(tx, room.fullTenants);
      return { items, dueInMs };
    });
  }

  protected async release(recoveries: readonly ClaimedRecovery[]): Promise<void> {
    await this.database.crossTenant((tx) => this.recoveries.release(tx, recoveries));
  }

  protected override describe({ tenantId, subscriptionId }: ClaimedRecovery): Record<string, unknown> {
    return { tenantId, subscriptionId };
  }

  protected async work(recovery: ClaimedRecovery): Promise<void> {
    const { tenantId, subscriptionId } = recovery;
    await this.database.transaction(tenantId, async (tx) => {
      this.holds.lock(tx, [{ tenantId, subscriptionId }]);
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
    const room = Math.min(left, DUE_AT_A_TIME - (await this.recoveries.countDue(tx, subscriptionId, DUE_AT_A_TIME)));
    if (left > 0 && room <= 0) return { state: 'running', done: 0, nextId, nextInMs: STEP_MS };
    const made = left > 0 ? await this.recoveries.makeDue(tx, subscriptionId, step, room) : [];
    this.sendSoon(tx, subscriptionId, made);
    // Fewer than there was room for: what was left has been sent by hand or is no longer kept.
    const isDone = made.length === left || made.length < room;
    const progress = { done: made.length, nextId: made.at(-1)?.id ?? nextId };
    return isDone
      ? { ...progress, state: 'completed', nextInMs: null }
      : { ...progress, state: 'running', nextInMs: STEP_MS };
  }

  private sendSoon(tx: TenantTransaction, subscriptionId: string, made: readonly MadeDue[]): void {
    if (made.length === 0) return;
    const held = made.filter(({ wasHeld }) => wasHeld).length;
    if (held > 0) this.holds.reduce(tx, subscriptionId, held);
    this.queues.wake(tx, [{ tenantId: tx.tenantId, subscriptionId, dueAt: null }]);
    tx.afterCommit(() => {
      this.due.signal();
      this.lines.signal();
    });
  }
}

import type { NarrowTransaction, TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import {
  FIND_NEXT_DUE,
  LOCK_FREE_QUEUES,
  REPAIR_QUEUES,
  SETTLE_QUEUES,
  WAKE_QUEUES,
} from './subscription-queue.sql.js';

/** The queue of a subscription: its deliveries that wait for an attempt. */
export interface SubscriptionQueue {
  readonly tenantId: string;
  readonly subscriptionId: string;
}

/** A queue in which something becomes due. */
export interface WokenQueue extends SubscriptionQueue {
  /** Null for now. */
  readonly dueAt: Date | null;
}

const tenantsOf = (queues: readonly SubscriptionQueue[]) => queues.map(({ tenantId }) => tenantId);
const subscriptionsOf = (queues: readonly SubscriptionQueue[]) => queues.map(({ subscriptionId }) => subscriptionId);

/**
 * A subscription has a queue while deliveries of it wait, and `due_at` is never later than the moment at which one of
 * them may be claimed. It may be earlier: then a look finds nothing and corrects it.
 *
 * Whoever makes a delivery due holds the row of its queue until the commit, and moving `due_at` on needs that row alone.
 * So `due_at` is never moved on past a delivery that is not visible yet.
 */
@Injectable()
export class SubscriptionQueueRepository {
  /** Makes queues due, in the transaction that makes deliveries of them due. Does not wait for the server. */
  wake(tx: TenantTransaction | NarrowTransaction, queues: readonly WokenQueue[]): void {
    tx.issue(WAKE_QUEUES, [tenantsOf(queues), subscriptionsOf(queues), queues.map(({ dueAt }) => dueAt)]);
  }

  /**
   * Moves queues on to when something in them may be claimed next, and deletes those in which nothing waits. One that is
   * still due goes behind all others that are. Queues that someone else holds stay as they are, which is always right.
   */
  async settle(tx: NarrowTransaction, queues: readonly SubscriptionQueue[]): Promise<void> {
    const held = await tx.query<SubscriptionQueue>(LOCK_FREE_QUEUES, [tenantsOf(queues), subscriptionsOf(queues)]);
    if (held.length === 0) return;
    await tx.query(SETTLE_QUEUES, [tenantsOf(held), subscriptionsOf(held)]);
  }

  /**
   * Milliseconds until a queue is due, 0 when one already is.
   * @param closed subscriptions whose queues do not count
   * @param full tenants whose queues do not count
   * @returns null when nothing waits
   */
  async findDueInMs(tx: NarrowTransaction, closed: readonly string[], full: readonly string[]): Promise<number | null> {
    const [row] = await tx.query<{ dueInMs: number }>(FIND_NEXT_DUE, [closed, full]);
    return row ? Math.max(0, row.dueInMs) : null;
  }

  /**
   * Creates the queues that are missing and brings forward those that are late.
   * @returns how many were created or brought forward; includes some that only have claimed deliveries, whose next look is
   *   early
   */
  async repair(tx: NarrowTransaction): Promise<number> {
    const rows = await tx.query(REPAIR_QUEUES);
    return rows.length;
  }
}

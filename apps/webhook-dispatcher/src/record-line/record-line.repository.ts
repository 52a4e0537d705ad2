import type { NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import {
  type SubscriptionQueue,
  SubscriptionQueueRepository,
} from '../subscription-queue/subscription-queue.repository.js';
import { APPOINT_HEADS, END_HEADS, FIND_FRESH, LOCK_LINES, REPAIR_HEADS } from './record-line.sql.js';

/** A delivery that is the head of its line. */
export interface Head {
  readonly tenantId: string;
  readonly deliveryId: string;
}

/** What decides whether a new delivery may become a head. */
export interface Gate {
  /** Sequence in the stream up to which every event is recorded. */
  readonly recordedUpTo: number;
  /** Milliseconds after which a delivery no longer waits for those before it in the stream. */
  readonly longestMs: number;
}

export interface Appointed {
  /** Subscriptions that got something due. */
  readonly woken: number;
  /** Whether changes are left, because they wait for the stream or are more than the limit. */
  readonly isFresh: boolean;
}

/**
 * The lines of deliveries of one record to one subscription, in the order of the record's versions. Only the head of a line is
 * due, so that claims know nothing of order. Runs as the narrow role.
 */
@Injectable()
export class RecordLineRepository {
  constructor(private readonly queues: SubscriptionQueueRepository) {}

  /**
   * Makes the first delivery of each changed line due, unless another one of the line is.
   * @param limit changes to look at
   */
  async appointHeads(tx: NarrowTransaction, { recordedUpTo, longestMs }: Gate, limit: number): Promise<Appointed> {
    tx.issue(LOCK_LINES, []);
    // Not prepared: the table grows from nothing within a second, and a plan for an empty one reads all of it for each line.
    const [queues, [fresh]] = await Promise.all([
      tx.query<SubscriptionQueue>(APPOINT_HEADS, [recordedUpTo, longestMs, limit]),
      tx.query<{ isFresh: boolean }>(FIND_FRESH),
    ]);
    if (queues.length > 0) {
      this.queues.wake(
        tx,
        queues.map((queue) => ({ ...queue, dueAt: null })),
      );
    }
    return { woken: queues.length, isFresh: fresh?.isFresh ?? false };
  }

  /**
   * Lets the next in line follow, in the transaction that ends the heads; only who held their claims may. Does not wait for the
   * server.
   */
  endHeads(tx: NarrowTransaction, heads: readonly Head[]): void {
    tx.issue(END_HEADS, [heads.map(({ tenantId }) => tenantId), heads.map(({ deliveryId }) => deliveryId)]);
  }

  /**
   * Lets the next in line follow heads that were taken away otherwise.
   * @returns how many there were
   */
  async repair(tx: NarrowTransaction): Promise<number> {
    return (await tx.query(REPAIR_HEADS)).length;
  }
}

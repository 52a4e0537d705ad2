import type { NarrowTransaction } from '@crm/database';
import type { Room } from '@crm/worker';
import { Injectable } from '@nestjs/common';
import {
  type SubscriptionQueue,
  SubscriptionQueueRepository,
} from '../subscription-queue/subscription-queue.repository.js';
import type { ClaimedDelivery } from './delivery.js';
import { CLAIM_DELIVERIES, RELEASE_DELIVERIES } from './due-delivery.sql.js';

/** Queues that one claim looks into; also bounds those that turn out to be empty. */
const QUEUES_AT_A_TIME = 100;

/** What a process has room for. */
export interface DeliveryRoom extends Room {
  /** Deliveries of one subscription. */
  readonly perSubscription: number;
  /** Subscriptions that may have fewer than that, with how many; 0 leaves one out. */
  readonly bySubscription: ReadonlyMap<string, number>;
}

export interface Claim {
  readonly deliveries: ClaimedDelivery[];
  /** Whether more may be due than this claim looked at. */
  readonly isCut: boolean;
}

interface ClaimedQueue extends SubscriptionQueue {
  /** Ids; null when nothing of this queue was claimed. */
  readonly deliveries: string[] | null;
}

/** Finding and claiming due deliveries of all tenants. Runs as the narrow role. */
@Injectable()
export class DueDeliveryRepository {
  constructor(private readonly queues: SubscriptionQueueRepository) {}

  /**
   * Claims due deliveries: the longest due of each queue, the queues in turn. What it reads grows with the room and with
   * the queues that are left out, never with what waits in them. Rows that another process is claiming are skipped; a
   * claim that expired, because its process died, does not count.
   * @param claim proves the claim
   * @param claimMs how long it holds; longer than an attempt may take
   */
  async claim(tx: NarrowTransaction, claim: string, room: DeliveryRoom, claimMs: number): Promise<Claim> {
    const closed = [...room.bySubscription].filter(([, places]) => places === 0).map(([id]) => id);
    const queues = await tx.query<ClaimedQueue>(CLAIM_DELIVERIES, [
      claim,
      room.places,
      closed,
      room.fullTenants,
      QUEUES_AT_A_TIME,
      room.perSubscription,
      [...room.bySubscription.keys()],
      [...room.bySubscription.values()],
      claimMs,
    ]);
    const deliveries = queues.flatMap(({ tenantId, subscriptionId, deliveries }) =>
      (deliveries ?? []).map((id) => ({ tenantId, id, subscriptionId, claim })),
    );
    const isFull = deliveries.length >= room.places;
    // Once the room is used up, the queues behind the last one that had something were not looked into and keep their turn.
    const visited = isFull ? queues.slice(0, queues.findLastIndex((queue) => queue.deliveries !== null) + 1) : queues;
    if (visited.length > 0) await this.queues.settle(tx, visited);
    return { deliveries, isCut: isFull || queues.length === QUEUES_AT_A_TIME };
  }

  /** Gives back claims for which this process has no room. */
  async release(tx: NarrowTransaction, claimed: readonly ClaimedDelivery[]): Promise<void> {
    await tx.query(RELEASE_DELIVERIES, [
      claimed.map((delivery) => delivery.tenantId),
      claimed.map((delivery) => delivery.id),
      claimed.map((delivery) => delivery.claim),
    ]);
    await this.queues.wake(tx, claimed);
  }
}

import type { NarrowTransaction, Room } from '@crm/database';
import { Injectable } from '@nestjs/common';
import {
  type SubscriptionQueue,
  SubscriptionQueueRepository,
} from '../subscription-queue/subscription-queue.repository.js';
import { CLAIM_DELIVERIES, FIND_BODIES, RELEASE_DELIVERIES } from './due-delivery.sql.js';

/** Queues that one claim looks into; also bounds those that turn out to be empty. */
const QUEUES_AT_A_TIME = 100;

/** What a process has room for. */
export interface DeliveryRoom extends Room {
  /** Deliveries of one subscription. */
  readonly perSubscription: number;
  /** Subscriptions that may have fewer than that, with how many; 0 leaves one out. */
  readonly bySubscription: ReadonlyMap<string, number>;
}

/** A due delivery that this process has claimed, with what its attempt sends. */
export interface ClaimedDelivery {
  readonly tenantId: string;
  readonly id: string;
  readonly subscriptionId: string;
  readonly eventId: string;
  /** Made before. */
  readonly attempts: number;
  /** Whether later deliveries of its record wait for it. */
  readonly isHead: boolean;
  /** Null when it is no longer kept. */
  readonly body: string | null;
  /** Null when its event is not traced. */
  readonly traceparent: string | null;
  /** Proves the claim: a delivery that another process has claimed in the meantime is not changed. */
  readonly claim: string;
}

export interface ClaimedDeliveries {
  readonly deliveries: ClaimedDelivery[];
  /** Whether more may be due than this claim looked at. */
  readonly isCut: boolean;
}

type ClaimRow = Omit<ClaimedDelivery, 'id' | 'body' | 'traceparent' | 'claim'> & {
  /** Null when nothing of this queue was claimed. */
  readonly id: string | null;
};

/** What an event sends, and the trace it belongs to. */
type KeptBody = Pick<ClaimedDelivery, 'body' | 'traceparent'>;

const NOT_KEPT: KeptBody = { body: null, traceparent: null };

/** Finding and claiming due deliveries of all tenants. Runs as the narrow role. */
@Injectable()
export class DueDeliveryRepository {
  constructor(private readonly queues: SubscriptionQueueRepository) {}

  /**
   * Claims due deliveries: the longest due of each queue, first attempts before retries, the queues in turn. What it reads
   * grows with the room and with the queues that are left out, never with what waits in them. Rows that another process is
   * claiming are skipped; a claim that expired, because its process died, does not count.
   * @param claim proves the claim
   * @param claimMs how long it holds; longer than an attempt may take
   */
  async claim(tx: NarrowTransaction, claim: string, room: DeliveryRoom, claimMs: number): Promise<ClaimedDeliveries> {
    const closed = [...room.bySubscription].filter(([, places]) => places === 0).map(([id]) => id);
    const rows = await tx.queryPrepared<ClaimRow>(CLAIM_DELIVERIES, [
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
    const claimed = rows.flatMap((row) => (row.id === null ? [] : [{ ...row, id: row.id, claim }]));
    const bodies = this.bodiesOf(tx, claimed);
    const queues = queuesOf(rows);
    const isFull = claimed.length >= room.places;
    // Once the room is used up, the queues behind the last one that had something were not looked into and keep their turn.
    const visited = isFull ? queues.slice(0, queues.findLastIndex((queue) => queue.hadSomething) + 1) : queues;
    if (visited.length > 0) await this.queues.settle(tx, visited);
    const found = await bodies;
    const deliveries = claimed.map((one) => ({ ...one, ...(found.get(one.eventId) ?? NOT_KEPT) }));
    return { deliveries, isCut: isFull || queues.length === QUEUES_AT_A_TIME };
  }

  /** The body of each event once, however many of its deliveries are claimed. */
  private async bodiesOf(
    tx: NarrowTransaction,
    claimed: readonly Pick<ClaimedDelivery, 'tenantId' | 'eventId'>[],
  ): Promise<ReadonlyMap<string, KeptBody>> {
    const tenants = new Map(claimed.map(({ eventId, tenantId }) => [eventId, tenantId]));
    const ids = [...tenants.keys()].sort();
    if (ids.length === 0) return new Map();
    const rows = await tx.queryPrepared<KeptBody & { eventId: string }>(FIND_BODIES, [
      ids.map((id) => tenants.get(id)),
      ids,
      ids[0],
      ids.at(-1),
    ]);
    return new Map(rows.map(({ eventId, body, traceparent }) => [eventId, { body, traceparent }]));
  }

  /** Gives back claims for which this process has no room. */
  release(tx: NarrowTransaction, claimed: readonly ClaimedDelivery[]): void {
    tx.issue(RELEASE_DELIVERIES, [
      claimed.map((delivery) => delivery.tenantId),
      claimed.map((delivery) => delivery.id),
      claimed.map((delivery) => delivery.claim),
    ]);
    this.queues.wake(
      tx,
      claimed.map(({ tenantId, subscriptionId }) => ({ tenantId, subscriptionId, dueAt: null })),
    );
  }
}

/** The queues that were looked into, in their order; the rows of a queue follow each other. */
function queuesOf(rows: readonly ClaimRow[]): (SubscriptionQueue & { hadSomething: boolean })[] {
  const queues = new Map<string, SubscriptionQueue & { hadSomething: boolean }>();
  for (const { tenantId, subscriptionId, id } of rows) {
    queues.set(subscriptionId, { tenantId, subscriptionId, hadSomething: id !== null });
  }
  return [...queues.values()];
}

import type { NarrowTransaction } from '@crm/database';
import type { Room } from '@crm/worker';
import { Injectable } from '@nestjs/common';
import type { ClaimedDelivery } from './delivery.js';
import { type SubscriptionQueue, SubscriptionQueueRepository } from './subscription-queue.repository.js';

/** Queues that one claim looks into; also bounds those that turn out to be empty. */
const QUEUES_AT_A_TIME = 100;

/** What a process has room for. */
export interface DeliveryRoom extends Room {
  /** Deliveries of one subscription. */
  readonly perSubscription: number;
  /** Subscriptions that may have fewer than that, with how many; none for those that are not asked for now. */
  readonly bySubscription: ReadonlyMap<string, number>;
}

export interface Claim {
  readonly deliveries: ClaimedDelivery[];
  /** Whether more may be due than this claim looked at. */
  readonly isCut: boolean;
}

interface ClaimRow {
  tenant_id: string;
  subscription_id: string;
  deliveries: string[] | null;
}

/** SQL of what crosses tenants: finding and claiming due deliveries. Runs as the narrow role. */
@Injectable()
export class DueDeliveryRepository {
  constructor(private readonly queues: SubscriptionQueueRepository) {}

  /**
   * Claims due deliveries: the longest due of each queue, the queues in turn. What it reads grows with the room and with
   * the queues passed over, never with what waits in them. Rows that another process is claiming are passed over; a claim
   * that ran out, because its process died, counts as none.
   * @param claim proves the claim
   * @param claimMs how long it holds; longer than an attempt may take
   */
  async claim(tx: NarrowTransaction, claim: string, room: DeliveryRoom, claimMs: number): Promise<Claim> {
    const rows = await tx.query<ClaimRow>(
      `WITH queue AS MATERIALIZED (
         SELECT tenant_id, subscription_id, due_at, coalesce(narrowed.places, $6) AS room
           FROM (SELECT tenant_id, subscription_id, due_at FROM subscription_queue
                  WHERE due_at <= now() AND subscription_id <> ALL($3::uuid[]) AND tenant_id <> ALL($4::uuid[])
                  ORDER BY due_at LIMIT $5) AS next
           LEFT JOIN unnest($7::uuid[], $8::int[]) AS narrowed(subscription_id, places) USING (subscription_id)
          ORDER BY due_at, subscription_id),
       due AS MATERIALIZED (
         SELECT delivery.tenant_id, delivery.id
           FROM queue CROSS JOIN LATERAL (
             SELECT tenant_id, id FROM delivery
              WHERE tenant_id = queue.tenant_id AND subscription_id = queue.subscription_id
                AND next_attempt_at <= now() AND (claimed_until IS NULL OR claimed_until < now())
              ORDER BY next_attempt_at
              LIMIT queue.room
                FOR UPDATE SKIP LOCKED) AS delivery
          LIMIT $2),
       claimed AS (
         UPDATE delivery SET claim = $1, claimed_until = now() + $9 * interval '1 millisecond'
          WHERE (tenant_id, id) IN (SELECT tenant_id, id FROM due)
         RETURNING tenant_id, subscription_id, id)
       SELECT tenant_id, subscription_id, array_agg(claimed.id) FILTER (WHERE claimed.id IS NOT NULL) AS deliveries
         FROM queue LEFT JOIN claimed USING (tenant_id, subscription_id)
        GROUP BY tenant_id, subscription_id, due_at ORDER BY due_at, subscription_id`,
      [
        claim,
        room.places,
        [...room.bySubscription].filter(([, places]) => places === 0).map(([id]) => id),
        room.fullTenants,
        QUEUES_AT_A_TIME,
        room.perSubscription,
        [...room.bySubscription.keys()],
        [...room.bySubscription.values()],
        claimMs,
      ],
    );
    const deliveries = rows.flatMap((row) =>
      (row.deliveries ?? []).map((id) => ({ tenantId: row.tenant_id, id, subscriptionId: row.subscription_id, claim })),
    );
    const isFull = deliveries.length >= room.places;
    // With the room used up, queues behind the last one that gave something were not looked into and keep their turn.
    const visited = isFull ? rows.slice(0, rows.findLastIndex((row) => row.deliveries !== null) + 1) : rows;
    if (visited.length > 0) await this.queues.settle(tx, visited.map(queueOf));
    return { deliveries, isCut: isFull || rows.length === QUEUES_AT_A_TIME };
  }

  /** Gives claims back that this process has no room for. */
  async release(tx: NarrowTransaction, claimed: readonly ClaimedDelivery[]): Promise<void> {
    await tx.query(
      `UPDATE delivery SET claim = NULL, claimed_until = NULL
         FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS released(tenant_id, id, claim)
        WHERE delivery.tenant_id = released.tenant_id AND delivery.id = released.id AND delivery.claim = released.claim`,
      [claimed.map((row) => row.tenantId), claimed.map((row) => row.id), claimed.map((row) => row.claim)],
    );
    await this.queues.wake(tx, claimed);
  }
}

const queueOf = (row: ClaimRow): SubscriptionQueue => ({
  tenantId: row.tenant_id,
  subscriptionId: row.subscription_id,
});

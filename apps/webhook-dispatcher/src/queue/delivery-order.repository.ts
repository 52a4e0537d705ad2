import { byTenant, Database, type ReadOfEveryTenant } from '@crm/database';
import type { Acknowledged } from '@crm/messaging';
import { Injectable } from '@nestjs/common';

// A partition has the deliveries of one record to one subscription that have not ended. Its head, of which the database allows
// one, is also in `due_delivery`. Rows become waiting or head, or go, only while their tenant's lock is held; all others only
// add new rows and mark heads as ended, so that anyone who holds the lock never decides by what is about to change.

/**
 * Rows that have changed and need not wait, as everything that the stream had before is recorded, or has been waited for long
 * enough. A lost stream counts anew. $1, $2: sequence and longest wait of `Gate`, $3, $4: when the stream stored what it has said
 * that of, $5: how many.
 */
export const findChanges: ReadOfEveryTenant = (table) => `
  SELECT tenant_id AS "tenantId", delivery_id AS "deliveryId" FROM ${table('ordered_delivery')}
   WHERE state IN ('new', 'ended')
     AND (state <> 'new' OR stream_sequence IS NULL
          OR (stream_sequence <= $1 AND stored_at BETWEEN $3::timestamptz AND $4::timestamptz)
          OR arrived_at < now() - $2 * interval '1 millisecond')
   ORDER BY arrived_at LIMIT $5`;

/** $1: tenant, $2: changed rows, $3 to $6 as $1 to $4 above. */
const PROMOTE_NEXT_DELIVERIES = 'SELECT appoint_heads($1, $2, $3, $4, $5, $6) AS woken';

export const findFresh: ReadOfEveryTenant = (table) =>
  `SELECT 1 AS fresh FROM ${table('ordered_delivery')} WHERE state IN ('new', 'ended') LIMIT 1`;

/** Finds out whether deliveries wait for events to be recorded that the stream had before. */
export const findAwaited: ReadOfEveryTenant = (table) =>
  `SELECT 1 AS awaited FROM ${table('ordered_delivery')} WHERE state = 'new' LIMIT 1`;

/** Ends heads that are no longer due, which block their partitions. */
const REPAIR_HEADS = `
  UPDATE ordered_delivery AS head SET state = 'ended'
   WHERE state = 'head'
     AND NOT EXISTS (SELECT 1 FROM due_delivery AS due
                      WHERE due.tenant_id = head.tenant_id AND due.delivery_id = head.delivery_id)
  RETURNING 1`;

/** Decides whether a new delivery may become a head. */
interface Gate {
  /** What of the stream is recorded. */
  readonly recorded: Acknowledged;
  /** Milliseconds after which a delivery no longer waits for those before it in the stream. */
  readonly longestMs: number;
}

interface Promoted {
  readonly woken: number;
  /** True when changes are left, because they wait for the stream or exceed the limit. */
  readonly isFresh: boolean;
}

/** Only heads are due, so that claims know nothing of order. */
@Injectable()
export class DeliveryOrderRepository {
  constructor(private readonly database: Database) {}

  async promoteNextDeliveries({ recorded, longestMs }: Gate, limit: number): Promise<Promoted> {
    const { everyTenant } = this.database;
    const gate = [recorded.upTo, longestMs, recorded.since, recorded.until];
    type Change = { tenantId: string; deliveryId: string };
    const changes = await everyTenant.read<Change>(findChanges, [...gate, limit]);
    const calls = byTenant(changes).map(([tenantId, own]) => [
      tenantId,
      own.map(({ deliveryId }) => deliveryId),
      ...gate,
    ]);
    const promoted = await everyTenant.call<{ woken: number }>(PROMOTE_NEXT_DELIVERIES, calls);
    const fresh = await everyTenant.read(findFresh);
    return { woken: promoted.reduce((sum, { woken }) => sum + woken, 0), isFresh: fresh.length > 0 };
  }

  async isAwaited(): Promise<boolean> {
    return (await this.database.everyTenant.read(findAwaited)).length > 0;
  }

  /** @returns how many partitions were blocked by a head that was no longer due */
  async repair(): Promise<number> {
    return (await this.database.crossTenantStatement(REPAIR_HEADS, [])).length;
  }
}

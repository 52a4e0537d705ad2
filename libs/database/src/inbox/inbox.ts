import type { NarrowTransaction, TenantTransaction } from '../transaction.js';

/**
 * Notes that a consumer handles an event, in the transaction of the effect. A concurrent second delivery waits for the
 * first one's commit.
 * @returns false when it was handled before: nothing is left to do
 */
export async function recordInbox(tx: TenantTransaction, consumer: string, eventId: string): Promise<boolean> {
  const rows = await tx.query(
    `INSERT INTO inbox (tenant_id, consumer, event_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING 1`,
    [tx.tenantId, consumer, eventId],
  );
  return rows.length > 0;
}

/**
 * Deletes rows older than `keepSeconds`, which must be longer than the broker and the outbox keep an event.
 * @returns how many were deleted
 */
export async function sweepInbox(tx: NarrowTransaction, keepSeconds: number, limit: number): Promise<number> {
  const [row] = await tx.query<{ deleted: string }>(
    `WITH old AS (
       SELECT tenant_id, consumer, event_id FROM inbox
        WHERE handled_at < now() - make_interval(secs => $1) ORDER BY handled_at LIMIT $2),
     gone AS (
       DELETE FROM inbox USING old
        WHERE inbox.tenant_id = old.tenant_id AND inbox.consumer = old.consumer AND inbox.event_id = old.event_id
       RETURNING 1)
     SELECT count(*) AS deleted FROM gone`,
    [keepSeconds, limit],
  );
  return Number(row?.deleted ?? 0);
}

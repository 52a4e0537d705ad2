import type { NarrowTransaction, TenantTransaction } from '../transaction.js';
import { RECORD_HANDLED, SWEEP_INBOX } from './inbox.sql.js';

/**
 * Records that a consumer handles an event, in the transaction of the effect. A concurrent second delivery waits until
 * the first commits.
 * @returns false when it was handled before and nothing is left to do
 */
export async function recordInbox(tx: TenantTransaction, consumer: string, eventId: string): Promise<boolean> {
  const rows = await tx.query(RECORD_HANDLED, [tx.tenantId, consumer, eventId]);
  return rows.length > 0;
}

/**
 * Deletes rows older than `keepSeconds`, which must be longer than the broker and the outbox keep an event.
 * @returns how many were deleted
 */
export async function sweepInbox(tx: NarrowTransaction, keepSeconds: number, limit: number): Promise<number> {
  const [row] = await tx.query<{ deleted: string }>(SWEEP_INBOX, [keepSeconds, limit]);
  return Number(row?.deleted ?? 0);
}

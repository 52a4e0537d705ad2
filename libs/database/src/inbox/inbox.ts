import type { TenantTransaction } from '../transaction.js';
import { RECORD_HANDLED } from './inbox.sql.js';

/**
 * Records that a consumer handles an event, in the transaction of the effect. A concurrent second delivery waits until
 * the first commits.
 * @returns false when it was handled before and nothing is left to do
 */
export async function recordInbox(tx: TenantTransaction, consumer: string, eventId: string): Promise<boolean> {
  const rows = await tx.query(RECORD_HANDLED, [tx.tenantId, consumer, eventId]);
  return rows.length > 0;
}

import { idOf } from './ids.js';
import type { NarrowTransaction, TenantTransaction } from './transaction.js';

/** $1: tenant, $2: consumer, $3: event. */
export const RECORD_HANDLED = `
  INSERT INTO inbox (tenant_id, consumer, event_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING 1`;

/** A concurrent second delivery waits until the first commits. @returns false when nothing is left to do */
export async function recordInbox(tx: TenantTransaction, consumer: string, eventId: string): Promise<boolean> {
  const rows = await tx.query(RECORD_HANDLED, [tx.tenantId, consumer, eventId]);
  return rows.length > 0;
}

const COLUMNS = `id, tenant_id AS "tenantId", consumer, event_id AS "eventId", subject, error, deliveries,
  created_at AS "createdAt", replayed_at AS "replayedAt"`;

/**
 * A stored message keeps its row. $1: tenant, $2: id, $3: consumer, $4: message key, $5: event, $6: subject,
 * $7: payload, $8: error, $9: deliveries.
 */
export const STORE_DEAD_LETTER = `
  INSERT INTO dead_letter (tenant_id, id, consumer, message_key, event_id, subject, payload, error, deliveries)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING RETURNING 1`;

/** $1: tenant, $2: id, $3: error, $4: deliveries. */
export const RENEW_DEAD_LETTER = 'UPDATE dead_letter SET error = $3, deliveries = $4 WHERE tenant_id = $1 AND id = $2';

/** $1: consumer, $2: limit, $3: only those after this id; null for the first page. */
export const LIST_DEAD_LETTERS = `
  SELECT ${COLUMNS} FROM dead_letter
   WHERE consumer = $1 AND replayed_at IS NULL AND ($3::uuid IS NULL OR id > $3)
   ORDER BY id LIMIT $2`;

/** $1: consumer, $2: id. */
export const FIND_DEAD_LETTER = `
  SELECT ${COLUMNS} FROM dead_letter WHERE consumer = $1 AND id = $2 AND replayed_at IS NULL`;

/** $1: tenant, $2: id. */
export const LOCK_DEAD_LETTER = `
  SELECT ${COLUMNS}, payload FROM dead_letter
   WHERE tenant_id = $1 AND id = $2 AND replayed_at IS NULL FOR UPDATE`;

/** $1: tenant, $2: id. */
export const MARK_REPLAYED = 'UPDATE dead_letter SET replayed_at = now() WHERE tenant_id = $1 AND id = $2';

/** $1: consumer. */
export const COUNT_DEAD_LETTERS = `
  SELECT count(*) AS waiting FROM dead_letter WHERE consumer = $1 AND replayed_at IS NULL`;

/** A dead letter: an event that a consumer could not handle, as it was received, with the reason. */
export interface DeadLetter {
  id: string;
  tenantId: string;
  consumer: string;
  /** Null when the message could not be read. */
  eventId: string | null;
  subject: string;
  payload: Buffer;
  error: string;
  deliveries: number;
  createdAt: Date;
  replayedAt: Date | null;
}

/** A dead letter without its payload, for lists: a page of payloads could exhaust memory. */
export type DeadLetterSummary = Omit<DeadLetter, 'payload'>;

/** Stores a message once: the id of its row follows from `messageKey` and `sentAt` (milliseconds since 1970). */
export async function storeDeadLetter(
  tx: TenantTransaction,
  message: Omit<DeadLetter, 'id' | 'tenantId' | 'createdAt' | 'replayedAt'> & { messageKey: string; sentAt: number },
): Promise<{ id: string; isNew: boolean }> {
  const id = idOf(message.sentAt, message.consumer, message.messageKey);
  const { error, deliveries } = message;
  const stored = await tx.query(STORE_DEAD_LETTER, [
    tx.tenantId,
    id,
    message.consumer,
    message.messageKey,
    message.eventId,
    message.subject,
    message.payload,
    error,
    deliveries,
  ]);
  const isNew = stored.length > 0;
  if (!isNew) await tx.query(RENEW_DEAD_LETTER, [tx.tenantId, id, error, deliveries]);
  return { id, isNew };
}

/** The dead letters of every tenant that were not replayed, oldest first. */
export function listDeadLetters(
  tx: NarrowTransaction,
  consumer: string,
  { limit = 100, after }: { limit?: number; after?: string | undefined } = {},
): Promise<DeadLetterSummary[]> {
  return tx.query<DeadLetterSummary>(LIST_DEAD_LETTERS, [consumer, limit, after ?? null]);
}

/** A consumer's dead letter with this id, of any tenant; null when it does not exist or was replayed. */
export async function findDeadLetter(
  tx: NarrowTransaction,
  consumer: string,
  id: string,
): Promise<DeadLetterSummary | null> {
  const [row] = await tx.query<DeadLetterSummary>(FIND_DEAD_LETTER, [consumer, id]);
  return row ?? null;
}

/** A dead letter of the tenant in context, locked until the transaction ends; null when it was replayed. */
export async function lockDeadLetter(tx: TenantTransaction, id: string): Promise<DeadLetter | null> {
  const [row] = await tx.query<DeadLetter>(LOCK_DEAD_LETTER, [tx.tenantId, id]);
  return row ?? null;
}

export async function markReplayed(tx: TenantTransaction, id: string): Promise<void> {
  await tx.query(MARK_REPLAYED, [tx.tenantId, id]);
}

export async function countDeadLetters(tx: NarrowTransaction, consumer: string): Promise<number> {
  const [row] = await tx.query<{ waiting: string }>(COUNT_DEAD_LETTERS, [consumer]);
  return Number(row?.waiting ?? 0);
}

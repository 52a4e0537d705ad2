import { idOf } from '../ids.js';
import type { NarrowTransaction, TenantTransaction } from '../transaction.js';
import {
  COUNT_DEAD_LETTERS,
  FIND_DEAD_LETTER,
  LIST_DEAD_LETTERS,
  LOCK_DEAD_LETTER,
  MARK_REPLAYED,
  STORE_DEAD_LETTER,
} from './dead-letter.sql.js';

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

/**
 * Stores a message that a consumer cannot handle. A message that is stored twice (because the broker did not learn that it
 * was terminated) has one row.
 * @param tx in the context of the message's tenant, or of NO_TENANT
 * @param message with `messageKey`, which is the same for each delivery of one message and for no other message, and `sentAt`,
 *   milliseconds since 1970, which is the same for each delivery too: the row's id follows from both
 * @returns the id of its row, and whether this call stored it
 */
export async function storeDeadLetter(
  tx: TenantTransaction,
  message: Omit<DeadLetter, 'id' | 'tenantId' | 'createdAt' | 'replayedAt'> & { messageKey: string; sentAt: number },
): Promise<{ id: string; isNew: boolean }> {
  const id = idOf(message.sentAt, message.consumer, message.messageKey);
  const [row] = await tx.query<{ isNew: boolean }>(STORE_DEAD_LETTER, [
    tx.tenantId,
    id,
    message.consumer,
    message.messageKey,
    message.eventId,
    message.subject,
    message.payload,
    message.error,
    message.deliveries,
  ]);
  return { id, isNew: row?.isNew ?? false };
}

/**
 * The dead letters of every tenant that were not replayed, oldest first.
 * @param page at most `limit` of them, after the dead letter with the id `after`
 */
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

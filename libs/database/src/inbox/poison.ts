import { newId } from '../ids.js';
import type { NarrowTransaction, TenantTransaction } from '../transaction.js';

/** A message that was given up, as it was received, with the reason. */
export interface PoisonMessage {
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

/** A given-up message as lists have it: a page of payloads could fill the memory. */
export type PoisonSummary = Omit<PoisonMessage, 'payload'>;

const COLUMNS = `id, tenant_id AS "tenantId", consumer, event_id AS "eventId", subject, error, deliveries,
  created_at AS "createdAt", replayed_at AS "replayedAt"`;

/**
 * Keeps a message that a consumer gives up. A message stored twice (the broker did not learn that it was terminated) is
 * one row.
 * @param tx in the context of the message's tenant, or of NO_TENANT
 * @param message with `messageKey`, the same for each delivery of one message and for no other message
 * @returns the id of its row, and whether it was stored now for the first time
 */
export async function storePoison(
  tx: TenantTransaction,
  message: Omit<PoisonMessage, 'id' | 'tenantId' | 'createdAt' | 'replayedAt'> & { messageKey: string },
): Promise<{ id: string; isNew: boolean }> {
  const id = newId();
  const rows = await tx.query<{ id: string }>(
    `INSERT INTO poison_message (tenant_id, id, consumer, message_key, event_id, subject, payload, error, deliveries)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     ON CONFLICT (tenant_id, consumer, message_key) DO UPDATE
        SET error = excluded.error, deliveries = excluded.deliveries
     RETURNING id`,
    [
      tx.tenantId,
      id,
      message.consumer,
      message.messageKey,
      message.eventId,
      message.subject,
      message.payload,
      message.error,
      message.deliveries,
    ],
  );
  const stored = rows[0]?.id ?? id;
  return { id: stored, isNew: stored === id };
}

/**
 * The messages of every tenant that wait for somebody to look at them, oldest first.
 * @param page at most `limit` of them, those after the message with the id `after`
 */
export function listPoison(
  tx: NarrowTransaction,
  consumer: string,
  { limit = 100, after }: { limit?: number; after?: string | undefined } = {},
): Promise<PoisonSummary[]> {
  return tx.query<PoisonSummary>(
    `SELECT ${COLUMNS} FROM poison_message
      WHERE consumer = $1 AND replayed_at IS NULL AND ($3::uuid IS NULL OR id > $3)
      ORDER BY id LIMIT $2`,
    [consumer, limit, after ?? null],
  );
}

/** A consumer's waiting message with this id, whoever its tenant is. */
export async function findPoison(
  tx: NarrowTransaction,
  consumer: string,
  id: string,
): Promise<PoisonSummary | undefined> {
  const [row] = await tx.query<PoisonSummary>(
    `SELECT ${COLUMNS} FROM poison_message WHERE consumer = $1 AND id = $2 AND replayed_at IS NULL`,
    [consumer, id],
  );
  return row;
}

/** One waiting message of the tenant in context, locked until the transaction ends; undefined when it was replayed. */
export async function lockPoison(tx: TenantTransaction, id: string): Promise<PoisonMessage | undefined> {
  const [row] = await tx.query<PoisonMessage>(
    `SELECT ${COLUMNS}, payload FROM poison_message WHERE tenant_id = $1 AND id = $2 AND replayed_at IS NULL FOR UPDATE`,
    [tx.tenantId, id],
  );
  return row;
}

export async function markReplayed(tx: TenantTransaction, id: string): Promise<void> {
  await tx.query('UPDATE poison_message SET replayed_at = now() WHERE tenant_id = $1 AND id = $2', [tx.tenantId, id]);
}

export async function countPoison(tx: NarrowTransaction, consumer: string): Promise<number> {
  const [row] = await tx.query<{ waiting: string }>(
    'SELECT count(*) AS waiting FROM poison_message WHERE consumer = $1 AND replayed_at IS NULL',
    [consumer],
  );
  return Number(row?.waiting ?? 0);
}

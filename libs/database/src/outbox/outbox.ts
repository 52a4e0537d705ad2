import type { EventName } from '@crm/contracts';
import type { Queryable } from '../transaction.js';
import { CLAIM_EVENTS, MARK_EVENTS_PUBLISHED, MEASURE_OUTBOX, SWEEP_OUTBOX } from './outbox.sql.js';

/** An event that is waiting to be published. */
export interface OutboxEvent {
  tenantId: string;
  id: string;
  name: EventName;
  /** NATS subject. */
  subject: string;
  /** CloudEvents JSON, as it is sent. */
  envelope: string;
}

/**
 * The relay's side of the outbox table, for the narrow role.
 *
 * Order: by `seq`, which is taken when the event is inserted. A transaction that changes a row after another one has
 * committed inserts its event later, so events of one record are in the order of their commits. Every event has its own
 * mark, so the next read finds an event that commits late with a low `seq`; a relay that remembered the highest `seq`
 * would skip it. See docs/decisions/0031-outbox-order.md.
 */
export class Outbox {
  constructor(private readonly connection: Queryable) {}

  /** The oldest committed events that are not published, in order. */
  claimBatch(limit: number): Promise<OutboxEvent[]> {
    return this.connection.query<OutboxEvent>(CLAIM_EVENTS, [limit]);
  }

  /** @param events those that the broker has acknowledged */
  async markPublished(events: readonly Pick<OutboxEvent, 'tenantId' | 'id'>[]): Promise<void> {
    if (events.length === 0) return;
    await this.connection.query(MARK_EVENTS_PUBLISHED, [
      events.map((event) => event.tenantId),
      events.map((event) => event.id),
    ]);
  }

  /** Events that wait, counted up to 10,000, and the age of the oldest in seconds. */
  async lag(): Promise<{ waiting: number; oldestSeconds: number }> {
    const [row] = await this.connection.query<{ waiting: string; oldest: string | null }>(MEASURE_OUTBOX);
    return { waiting: Number(row?.waiting ?? 0), oldestSeconds: Math.max(0, Number(row?.oldest ?? 0)) };
  }

  /**
   * Deletes events published longer than `keepSeconds` ago, at most `limit` of them so that no lock is held for long.
   * @returns how many were deleted
   */
  async sweep(keepSeconds: number, limit: number): Promise<number> {
    const [row] = await this.connection.query<{ deleted: string }>(SWEEP_OUTBOX, [keepSeconds, limit]);
    return Number(row?.deleted ?? 0);
  }
}

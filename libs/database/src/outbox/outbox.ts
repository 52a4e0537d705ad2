import type { EventName } from '@crm/contracts';
import type { PreparedQueryable } from '../transaction.js';
import {
  CLAIM_EVENTS,
  LIST_WRITERS,
  MARK_EVENTS_PUBLISHED,
  MEASURE_OUTBOX,
  READ_POSITION,
  SWEEP_OUTBOX,
} from './outbox.sql.js';
import { PublishedSeqs } from './published-seqs.js';

/** An event that is waiting to be published. */
export interface OutboxEvent {
  /** Its place in the order of publication. */
  seq: number;
  tenantId: string;
  id: string;
  name: EventName;
  /** NATS subject. */
  subject: string;
  /** CloudEvents JSON, as it is sent. */
  envelope: string;
}

/**
 * The relay's side of the outbox, for the narrow role. Rows of the table `outbox` are written once; which of them are
 * published is remembered beside it, as ranges of `seq`.
 *
 * Order: by `seq`, which is taken when the event is inserted. A transaction that changes a row after another one has
 * committed inserts its event later, so events of one record are in the order of their commits. An event that commits late
 * with a low `seq` lies in a gap between the ranges, and every claim looks into the gaps; a relay that remembered only the
 * highest `seq` would skip it. See docs/decisions/0031-outbox-order.md.
 */
export class Outbox {
  /** Once none of these transactions is open, no event up to `upTo` can appear any more. */
  private open: { readonly upTo: number; readonly writers: ReadonlySet<string> } | undefined;
  /** No event up to it appears any more, other than those that the next claim sees. */
  private settled: number | undefined;

  private constructor(
    private readonly connection: PreparedQueryable,
    private published: PublishedSeqs,
  ) {}

  /** Only one at a time may mark: the relay's advisory lock sees to it. */
  static async open(connection: PreparedQueryable): Promise<Outbox> {
    const [row] = await connection.queryPrepared<{ published: string }>(READ_POSITION, []);
    return new Outbox(connection, row ? PublishedSeqs.parse(row.published) : PublishedSeqs.NONE);
  }

  /** The oldest committed events that are not published, in order. */
  async claimBatch(limit: number): Promise<OutboxEvent[]> {
    const { settled } = this;
    const { after, before } = this.published.gaps;
    const rows = await this.connection.queryPrepared<OutboxEvent & { seq: string }>(CLAIM_EVENTS, [
      after,
      before,
      limit,
    ]);
    const events = rows.map((row) => ({ ...row, seq: Number(row.seq) }));
    const isComplete = settled !== undefined && (events.length < limit || Number(events.at(-1)?.seq) >= settled);
    if (isComplete) {
      this.settled = undefined;
      const seqs = events.map(({ seq }) => seq);
      this.published = this.published.filledUpTo(settled, seqs);
    }
    return events;
  }

  /** @param events those that the broker has acknowledged */
  async markPublished(events: readonly Pick<OutboxEvent, 'seq'>[]): Promise<void> {
    if (events.length === 0) return;
    const published = this.published.plus(events.map(({ seq }) => seq));
    await this.connection.queryPrepared(MARK_EVENTS_PUBLISHED, [published.toString()]);
    this.published = published;
  }

  /**
   * Forgets gaps that will stay empty because their transactions were rolled back. It takes two calls and a claim: the
   * first notes which transactions are open, a later one finds them ended, and the claim sees what they committed.
   */
  async settleGaps(): Promise<void> {
    if (!this.published.hasGaps) {
      this.open = undefined;
      return;
    }
    // Read before the transactions: each `seq` up to it was taken by one that has ended or is in the list.
    const upTo = this.published.last;
    const rows = await this.connection.queryPrepared<{ writer: string }>(LIST_WRITERS, []);
    const writers = new Set(rows.map(({ writer }) => writer));
    if (this.open && [...this.open.writers].every((writer) => !writers.has(writer))) {
      this.settled = this.open.upTo;
      this.open = undefined;
    }
    this.open ??= { upTo, writers };
  }

  /** Events that wait, counted up to 10,000, and the age of the oldest in seconds. */
  async lag(): Promise<{ waiting: number; oldestSeconds: number }> {
    const { after, before } = this.published.gaps;
    const [row] = await this.connection.queryPrepared<{ waiting: string; oldest: string | null }>(MEASURE_OUTBOX, [
      after,
      before,
    ]);
    return { waiting: Number(row?.waiting ?? 0), oldestSeconds: Math.max(0, Number(row?.oldest ?? 0)) };
  }

  /**
   * Deletes events published longer than `keepSeconds` ago (an hour longer at most), at most `limit` of them so that no
   * lock is held for long.
   * @returns how many were deleted
   */
  async sweep(keepSeconds: number, limit: number): Promise<number> {
    const [row] = await this.connection.queryPrepared<{ deleted: string }>(SWEEP_OUTBOX, [keepSeconds, limit]);
    return Number(row?.deleted ?? 0);
  }
}

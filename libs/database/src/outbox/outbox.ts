import type { EventEnvelope } from '@crm/contracts';
import { isCluster } from '../cluster/cluster-node.js';
import type { Database } from '../database.js';
import { idOf, lowestIdOf, millisecondsOfId } from '../ids.js';
import type { DeadLetter } from '../inbox.js';
import { addDays } from '../partitions/partitions.js';
import type { DatabaseConfig } from '../pool.js';
import { type NarrowTransaction, OUTBOX_CONSUMER, type PreparedQueryable } from '../transaction.js';
import {
  APPEND_EVENTS,
  CLAIM_EVENTS,
  FIND_SEQ,
  IS_ANY_BETWEEN,
  IS_ANY_OUTSIDE,
  IS_PUBLISHED,
  LIST_POSITIONS,
  LIST_WAITING,
  LIST_WRITERS,
  MARK_AND_CLAIM_EVENTS,
  MARK_EVENTS_PUBLISHED,
  MEASURE_OUTBOX,
  READ_PAST_POSITION,
  READ_POSITION,
  REMOVE_EVENT,
  RETURN_TO_POSITION,
  SET_ASIDE_EVENT,
  TAKE_DEAD_LETTER,
  THIN_POSITIONS,
} from './outbox.sql.js';
import { type EventRow, type LagRow, OutboxNodes, type Writer } from './outbox-nodes.js';
import { type Gaps, PublishedSeqs } from './published-seqs.js';

export interface OutboxEvent {
  seq: number;
  tenantId: string;
  id: string;
  subject: string;
  /** CloudEvents JSON, as it is sent. */
  envelope: string;
}

export interface RefusedEvent {
  readonly seq: number;
  readonly id: string;
  readonly reason: string;
  readonly tries: number;
}

export interface StreamPosition {
  readonly streamSeq: number;
  readonly subject: string;
}

export interface OutboxMark extends StreamPosition {
  readonly since: string;
}

interface PositionRow {
  streamSeq: string | null;
  streamSubject: string | null;
}

/**
 * The relay's side of the outbox. Events are ordered by `seq`, taken after the row locks of the change; one that
 * commits late lies in a gap between the published ranges, and every claim looks into the gaps (decision record 0031).
 */
export class Outbox {
  /** Once none of these transactions is open, no event can appear in these gaps any more. */
  private open: { readonly gaps: Gaps; readonly writers: readonly Writer[] } | undefined;
  /** True when events were acknowledged since the last mark. */
  private unmarked = false;
  /** Events that `claimBatch` passes over, by `seq`. */
  private readonly postponed = new Set<number>();

  /**
   * @param nodes of a cluster, on which the events lie
   * @param streamEnd where the published events end in the stream; undefined until one was published
   */
  private constructor(
    private readonly connection: PreparedQueryable,
    private readonly nodes: OutboxNodes | undefined,
    private published: PublishedSeqs,
    private streamEnd: StreamPosition | undefined,
  ) {}

  /** Only one at a time may mark: the relay's advisory lock sees to it. To be closed. @param config for the nodes of a cluster */
  static async open(connection: PreparedQueryable, config: DatabaseConfig): Promise<Outbox> {
    const [row] = await connection.queryPrepared<{ published: string } & PositionRow>(READ_POSITION, []);
    const published = row ? PublishedSeqs.parse(row.published) : PublishedSeqs.NONE;
    return new Outbox(connection, await OutboxNodes.find(connection, config), published, row && positionIn(row));
  }

  async close(): Promise<void> {
    await this.nodes?.close();
  }

  /** Where the published events end in the stream; undefined until an event was published. */
  get end(): StreamPosition | undefined {
    return this.streamEnd;
  }

  /** Marks what was acknowledged, and returns the oldest events that are neither published nor postponed, in order. */
  async claimBatch(limit: number): Promise<OutboxEvent[]> {
    const { published, postponed } = this;
    const { gaps } = postponed.size > 0 ? published.plus([...postponed]) : published;
    const rows = await (this.unmarked ? this.markAndClaim(gaps, limit) : this.claim(gaps, limit));
    this.unmarked = false;
    return rows.map(asEvent);
  }

  postpone(seqs: readonly number[]): void {
    for (const seq of seqs) this.postponed.add(seq);
  }

  async claimPostponed(seqs: readonly number[]): Promise<OutboxEvent[]> {
    const gaps = { after: seqs.map((seq) => seq - 1), before: seqs.map((seq) => seq + 1) };
    const rows = await (this.nodes ? this.nodes.find(gaps, seqs.length) : this.claim(gaps, seqs.length));
    return rows.map(asEvent);
  }

  /** The next claim marks these in its own statement: another one would cost a round trip for every few events. */
  acknowledged(events: readonly Pick<OutboxEvent, 'seq'>[], last?: StreamPosition): void {
    if (events.length === 0) return;
    this.noteDone(events.map(({ seq }) => seq));
    // That of an event which the stream has already is lower.
    if (last && last.streamSeq > (this.streamEnd?.streamSeq ?? 0)) this.streamEnd = last;
    this.unmarked = true;
  }

  /** Stores events as dead letters, and then marks them, so that they wait no more and none is lost. */
  async setAside(refused: readonly RefusedEvent[]): Promise<void> {
    const reasons = new Map(refused.map((event) => [event.seq, event]));
    const events = await this.claimPostponed([...reasons.keys()]);
    if (events.length < refused.length) throw new Error('A refused event cannot be read now');
    for (const { seq, tenantId, id, subject, envelope } of events) {
      const { reason, tries } = reasons.get(seq) as RefusedEvent;
      const deadLetterId = idOf(millisecondsOfId(id), OUTBOX_CONSUMER, id);
      const values = [tenantId, deadLetterId, id, subject, envelope, reason, tries];
      await this.connection.queryPrepared(SET_ASIDE_EVENT, values);
      this.noteDone([seq]);
    }
    this.unmarked = true;
    await this.mark();
  }

  /** Marks what was acknowledged, where no claim follows soon. */
  async mark(): Promise<void> {
    if (!this.unmarked) return;
    await this.connection.queryPrepared(MARK_EVENTS_PUBLISHED, this.position());
    this.unmarked = false;
  }

  /**
   * Forgets gaps of rolled-back transactions. It takes two calls or more: the first notes which transactions are open, a later one
   * finds them ended, and sees what they committed. Where a shard has moved meanwhile, its node no longer could.
   */
  async settleGaps(): Promise<void> {
    await this.nodes?.look();
    // Read before the transactions: each `seq` in the gaps was taken by one that has ended or is in the list.
    const gaps = this.published.innerGaps;
    if (gaps.after.length === 0) {
      this.open = undefined;
      return;
    }
    const writers = await this.writers();
    if (!writers) return;
    const { open } = this;
    const left = open && stillOpen(open.writers, writers);
    if (open && left?.length === 0) {
      const { after, before } = open.gaps;
      const rows = await this.connection.queryPrepared<{ seq: string }>(LIST_WAITING, [after, before]);
      const waiting = rows.map(({ seq }) => Number(seq));
      this.published = this.published.filled(open.gaps, waiting);
    }
    this.open = left?.length ? { gaps: open?.gaps ?? gaps, writers: left } : { gaps, writers };
  }

  /** Returns whether events may wait where they cannot be seen. */
  get isPartlyUnseen(): boolean {
    return this.nodes?.areSilent ?? false;
  }

  /** Events that wait, counted up to 10,000, and the age of the oldest in seconds. */
  async lag(): Promise<{ waiting: number; oldestSeconds: number }> {
    const { gaps } = this.published;
    const { after, before } = gaps;
    const rows = await (this.nodes?.lag(gaps) ??
      this.connection.queryPrepared<LagRow>(MEASURE_OUTBOX, [after, before]));
    return {
      waiting: rows.reduce((sum, { waiting }) => sum + Number(waiting), 0),
      oldestSeconds: Math.max(0, ...rows.map(({ oldest }) => Number(oldest ?? 0))),
    };
  }

  /** The marks within the seconds that the stream keeps an event, the latest first. */
  async marks(keptSeconds: number): Promise<OutboxMark[]> {
    const rows = await this.connection.queryPrepared<{ since: string } & PositionRow>(LIST_POSITIONS, [keptSeconds]);
    return rows.flatMap((row) => {
      const position = positionIn(row);
      return position ? [{ since: row.since, ...position }] : [];
    });
  }

  /** Takes what was published after the mark, or everything, for unpublished. Open the outbox again afterwards. */
  async returnTo(mark: OutboxMark | undefined): Promise<void> {
    await this.connection.queryPrepared(RETURN_TO_POSITION, [mark?.since ?? null]);
  }

  /** Forgets marks that are close to each other, and those past the retention. @param keepDays retention of the events */
  async thinMarks(keepDays: number): Promise<void> {
    await this.connection.queryPrepared(THIN_POSITIONS, [keepDays]);
  }

  private position(): unknown[] {
    return [this.published.toString(), this.streamEnd?.streamSeq ?? null, this.streamEnd?.subject ?? null];
  }

  private claim(gaps: Gaps, limit: number): Promise<EventRow[]> {
    if (this.nodes) return this.nodes.claim(gaps, limit);
    return this.connection.queryPrepared<EventRow>(CLAIM_EVENTS, [gaps.after, gaps.before, limit]);
  }

  private async markAndClaim(gaps: Gaps, limit: number): Promise<EventRow[]> {
    if (!this.nodes) {
      const values = [...this.position(), gaps.after, gaps.before, limit];
      return this.connection.queryPrepared<EventRow>(MARK_AND_CLAIM_EVENTS, values);
    }
    const [rows] = await Promise.all([this.nodes.claim(gaps, limit), this.mark()]);
    return rows;
  }

  /** @returns undefined when a node did not say */
  private async writers(): Promise<Writer[] | undefined> {
    const here = await this.connection.queryPrepared<Writer>(LIST_WRITERS, []);
    if (!this.nodes) return here;
    const elsewhere = await this.nodes.writers();
    return elsewhere && [...here, ...elsewhere];
  }

  private noteDone(seqs: readonly number[]): void {
    this.published = this.published.plus(seqs);
    for (const seq of seqs) this.postponed.delete(seq);
  }
}

/** Returns whether every event of a UTC day has been published for so many days that its partition may be dropped. */
export async function isDayPublished(tx: NarrowTransaction, day: string, keepDays: number): Promise<boolean> {
  const [past] = await tx.query<{ published: string }>(READ_PAST_POSITION, [keepDays]);
  if (!past) return false;
  const ids = [lowestIdOf(Date.parse(day)), lowestIdOf(Date.parse(addDays(day, 1)))];
  const { after, before } = PublishedSeqs.parse(past.published).gaps;
  const [row] = (await isCluster(tx))
    ? await tx.query<{ found: boolean }>(IS_ANY_OUTSIDE, [past.published, ...ids])
    : await tx.query<{ found: boolean }>(IS_ANY_BETWEEN, [after, before, ...ids]);
  return row?.found === false;
}

/** Returns whether an event, and with it all that its tenant had appended before, is marked as published. One that is gone was. */
export async function isMarkedPublished(
  database: Pick<Database, 'transaction' | 'crossTenantStatement'>,
  tenantId: string,
  id: string,
): Promise<boolean> {
  const [event] = await database.transaction(tenantId, (tx) => tx.query<{ seq: string }>(FIND_SEQ, [tenantId, id]));
  if (!event) return true;
  const [row] = await database.crossTenantStatement<{ isPublished: boolean }>(IS_PUBLISHED, [event.seq]);
  return row?.isPublished === true;
}

/** Puts a dead letter back at the end of the outbox, under its event's id. @returns false when there is none that waits */
export async function replayOutboxEvent(tx: NarrowTransaction, id: string): Promise<boolean> {
  type Taken = Pick<DeadLetter, 'tenantId' | 'subject' | 'payload'> & { eventId: string };
  const [taken] = await tx.query<Taken>(TAKE_DEAD_LETTER, [id]);
  if (!taken) return false;
  const { tenantId, eventId, subject } = taken;
  const envelope = taken.payload.toString();
  const { type } = JSON.parse(envelope) as EventEnvelope;
  await tx.query(REMOVE_EVENT, [tenantId, eventId]);
  await tx.query(APPEND_EVENTS, [tenantId, [eventId], [type], [subject], `[${envelope}]`]);
  return true;
}

const positionIn = ({ streamSeq, streamSubject }: PositionRow): StreamPosition | undefined =>
  streamSeq === null || streamSubject === null ? undefined : { streamSeq: Number(streamSeq), subject: streamSubject };

/** One that is not prepared has another number once it is, so that each that is prepared now may be one that was noted. */
function stillOpen(noted: readonly Writer[], now: readonly Writer[]): readonly Writer[] {
  const open = new Set(now.map(({ writer }) => writer));
  const mayBePrepared = noted.some(({ writer, prepared }) => !prepared && !open.has(writer));
  const numbers = new Set(noted.map(({ writer }) => writer));
  return now.filter(({ writer, prepared }) => numbers.has(writer) || (prepared && mayBePrepared));
}

const asEvent = (row: EventRow): OutboxEvent => ({ ...row, seq: Number(row.seq) });

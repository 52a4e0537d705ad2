import { idOf, lowestIdOf, millisecondsOfId } from '../ids.js';
import { addDays } from '../partitions/partitions.js';
import { type NarrowTransaction, OUTBOX_CONSUMER, type PreparedQueryable } from '../transaction.js';
import {
  CLAIM_EVENTS,
  IS_ANY_BETWEEN,
  LIST_POSITIONS,
  LIST_WRITERS,
  MARK_AND_CLAIM_EVENTS,
  MARK_EVENTS_PUBLISHED,
  MEASURE_OUTBOX,
  READ_PAST_POSITION,
  READ_POSITION,
  REPLAY_EVENT,
  RETURN_TO_POSITION,
  SET_ASIDE_EVENTS,
  THIN_POSITIONS,
} from './outbox.sql.js';

type Range = readonly [from: number, to: number];

const NO_END = '9223372036854775807';

/** Between what is published: events whose `seq` is above `after[i]` and below `before[i]` may wait. */
export interface Gaps {
  readonly after: readonly number[];
  readonly before: readonly (number | string)[];
}

/** The published events by `seq`: everything up to a number, and ranges above it. A gap was rolled back or is still open. */
export class PublishedSeqs {
  /** Ascending, neither overlapping nor adjacent; the first begins at 0, which no event has. */
  private constructor(private readonly ranges: readonly Range[]) {}

  static readonly NONE = new PublishedSeqs([[0, 0]]);

  /** @param multirange as Postgres prints an `int8multirange` of integers: `{[0,8),[9,12)}` */
  static parse(multirange: string): PublishedSeqs {
    const ranges = [...multirange.matchAll(/[[(](\d*),(\d+)\)/g)].map(
      ([, from, end]): Range => [Number(from), Number(end) - 1],
    );
    return new PublishedSeqs(joined([[0, 0], ...ranges]));
  }

  get upTo(): number {
    return this.ranges[0]?.[1] ?? 0;
  }

  get last(): number {
    return this.ranges.at(-1)?.[1] ?? 0;
  }

  get hasGaps(): boolean {
    return this.ranges.length > 1;
  }

  /** In ascending order; the last has no end. */
  get gaps(): Gaps {
    return {
      after: this.ranges.map(([, to]) => to),
      before: [...this.ranges.slice(1).map(([from]) => from), NO_END],
    };
  }

  plus(seqs: readonly number[]): PublishedSeqs {
    return new PublishedSeqs(joined([...this.ranges, ...seqs.map((seq): Range => [seq, seq])]));
  }

  /** With everything up to `last` but for the exceptions, which are in ascending order. */
  filledUpTo(last: number, exceptions: readonly number[]): PublishedSeqs {
    const within = exceptions.filter((seq) => seq <= last);
    const filled = [...within, last + 1].map(
      (end, index): Range => [index === 0 ? 0 : Number(within[index - 1]) + 1, end - 1],
    );
    return new PublishedSeqs(joined([...this.ranges, ...filled.filter(([from, to]) => from <= to)]));
  }

  toString(): string {
    return `{${this.ranges.map(([from, to]) => `[${from},${to}]`).join(',')}}`;
  }
}

function joined(ranges: readonly Range[]): Range[] {
  const result: [number, number][] = [];
  for (const [from, to] of ranges.toSorted(([left], [right]) => left - right)) {
    const last = result.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}

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

export interface StreamPlace {
  readonly streamSeq: number;
  readonly subject: string;
}

export interface OutboxMark extends StreamPlace {
  readonly since: string;
}

interface PlaceRow {
  streamSeq: string | null;
  streamSubject: string | null;
}

/** As the driver gives it: a bigint is a text. */
type Row = Omit<OutboxEvent, 'seq'> & { seq: string };

/**
 * The relay's side of the outbox. Events are ordered by `seq`, taken after the row locks of the change; one that
 * commits late lies in a gap between the published ranges, and every claim looks into the gaps (decision record 0031).
 */
export class Outbox {
  /** Once none of these transactions is open, no event up to `upTo` can appear any more. */
  private open: { readonly upTo: number; readonly writers: ReadonlySet<string> } | undefined;
  /** No event up to it appears any more, other than those that the next claim sees. */
  private settled: number | undefined;
  /** Whether events were acknowledged since the last mark. */
  private unmarked = false;
  /** Events that `claimBatch` passes over, by `seq`. */
  private readonly postponed = new Set<number>();

  /** @param place where the published events end in the stream; undefined until one was published */
  private constructor(
    private readonly connection: PreparedQueryable,
    private published: PublishedSeqs,
    private place: StreamPlace | undefined,
  ) {}

  /** Only one at a time may mark: the relay's advisory lock sees to it. */
  static async open(connection: PreparedQueryable): Promise<Outbox> {
    const [row] = await connection.queryPrepared<{ published: string } & PlaceRow>(READ_POSITION, []);
    return new Outbox(connection, row ? PublishedSeqs.parse(row.published) : PublishedSeqs.NONE, row && placeIn(row));
  }

  /** Where the published events end in the stream; undefined until an event was published. */
  get end(): StreamPlace | undefined {
    return this.place;
  }

  /** Marks what was acknowledged, and returns the oldest events that are neither published nor postponed, in order. */
  async claimBatch(limit: number): Promise<OutboxEvent[]> {
    const { settled, published, unmarked } = this;
    const { after, before } = (this.postponed.size > 0 ? published.plus([...this.postponed]) : published).gaps;
    const rows = await (unmarked
      ? this.connection.queryPrepared<Row>(MARK_AND_CLAIM_EVENTS, [...this.position(published), after, before, limit])
      : this.connection.queryPrepared<Row>(CLAIM_EVENTS, [after, before, limit]));
    this.unmarked = false;
    const events = rows.map(asEvent);
    const isComplete = settled !== undefined && (events.length < limit || Number(events.at(-1)?.seq) >= settled);
    if (isComplete) {
      this.settled = undefined;
      const waiting = [...this.postponed, ...events.map(({ seq }) => seq)].sort((left, right) => left - right);
      this.published = published.filledUpTo(settled, waiting);
    }
    return events;
  }

  postpone(seqs: readonly number[]): void {
    for (const seq of seqs) this.postponed.add(seq);
  }

  async claimPostponed(seqs: readonly number[]): Promise<OutboxEvent[]> {
    const after = seqs.map((seq) => seq - 1);
    const before = seqs.map((seq) => seq + 1);
    const rows = await this.connection.queryPrepared<Row>(CLAIM_EVENTS, [after, before, seqs.length]);
    return rows.map(asEvent);
  }

  /** The next claim marks these in its own statement: another one would cost a round trip for every few events. */
  acknowledged(events: readonly Pick<OutboxEvent, 'seq'>[], last?: StreamPlace): void {
    if (events.length === 0) return;
    this.noteDone(events.map(({ seq }) => seq));
    // That of an event which the stream has already is lower.
    if (last && last.streamSeq > (this.place?.streamSeq ?? 0)) this.place = last;
    this.unmarked = true;
  }

  /** Stores events as dead letters and marks them, in one statement, so that they wait no more and none is lost. */
  async setAside(events: readonly RefusedEvent[]): Promise<void> {
    const seqs = events.map(({ seq }) => seq);
    await this.connection.queryPrepared(SET_ASIDE_EVENTS, [
      ...this.position(this.published.plus(seqs)),
      seqs,
      events.map(({ id }) => idOf(millisecondsOfId(id), OUTBOX_CONSUMER, id)),
      events.map(({ reason }) => reason),
      events.map(({ tries }) => tries),
    ]);
    this.noteDone(seqs);
    this.unmarked = false;
  }

  /** Marks what was acknowledged, where no claim follows soon. */
  async mark(): Promise<void> {
    if (!this.unmarked) return;
    await this.connection.queryPrepared(MARK_EVENTS_PUBLISHED, this.position(this.published));
    this.unmarked = false;
  }

  /**
   * Forgets gaps of rolled-back transactions. It takes two calls and a claim: the first notes which transactions are
   * open, a later one finds them ended, and the claim sees what they committed.
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

  /** The marks within the seconds that the stream keeps an event, the latest first. */
  async marks(keptSeconds: number): Promise<OutboxMark[]> {
    const rows = await this.connection.queryPrepared<{ since: string } & PlaceRow>(LIST_POSITIONS, [keptSeconds]);
    return rows.flatMap((row) => {
      const place = placeIn(row);
      return place ? [{ since: row.since, ...place }] : [];
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

  private position(published: PublishedSeqs): unknown[] {
    return [published.toString(), this.place?.streamSeq ?? null, this.place?.subject ?? null];
  }

  private noteDone(seqs: readonly number[]): void {
    this.published = this.published.plus(seqs);
    for (const seq of seqs) this.postponed.delete(seq);
  }
}

/** Whether every event of a UTC day has been published for so many days that its partition may be dropped. */
export async function isDayPublished(tx: NarrowTransaction, day: string, keepDays: number): Promise<boolean> {
  const [past] = await tx.query<{ published: string }>(READ_PAST_POSITION, [keepDays]);
  if (!past) return false;
  const { after, before } = PublishedSeqs.parse(past.published).gaps;
  const [row] = await tx.query<{ found: boolean }>(IS_ANY_BETWEEN, [
    after,
    before,
    lowestIdOf(Date.parse(day)),
    lowestIdOf(Date.parse(addDays(day, 1))),
  ]);
  return row?.found === false;
}

/** Puts a dead letter back at the end of the outbox, under its event's id. @returns false when there is none that waits */
export async function replayOutboxEvent(tx: NarrowTransaction, id: string): Promise<boolean> {
  const rows = await tx.query(REPLAY_EVENT, [id]);
  return rows.length > 0;
}

const placeIn = ({ streamSeq, streamSubject }: PlaceRow): StreamPlace | undefined =>
  streamSeq === null || streamSubject === null ? undefined : { streamSeq: Number(streamSeq), subject: streamSubject };

const asEvent = (row: Row): OutboxEvent => ({ ...row, seq: Number(row.seq) });

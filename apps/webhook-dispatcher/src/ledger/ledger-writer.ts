import { byTenant, Database, isExcessive, isTemporary } from '@crm/database';
import { counter } from '@crm/telemetry';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { DeliveryOrderSignal, SubscriptionQueueSignal } from '../queue/queue-signals.js';
import { ReceiverChanges } from '../subscriptions/receiver-changes.js';
import { SubscriptionStateService } from '../subscriptions/subscription-state.service.js';
import { endsHead, isGone, type LedgerEntry } from './ledger-entry.js';
import { LedgerWriterRepository } from './ledger-writer.repository.js';

/** Milliseconds for which entries are gathered, since a commit costs the server as much as some twenty deliveries. */
const GATHER_MS = 25;
const ROWS_TOGETHER = 1_000;
/** UTF-16 units of the bodies that one transaction writes; a larger one goes alone. */
const LENGTH_TOGETHER = 4_000_000;
/** Concurrent transactions: one is prepared while the server works on the other. */
const MOST_AT_ONCE = 2;

/** Why a subscription is disabled. */
const GONE = 'the endpoint returned 410 Gone';

/** Alarm on an increase: a subscription holds as many deliveries as it may, and events are lost to it. */
const droppedDeliveries = counter(
  'webhook_held_dropped_total',
  'Deliveries that were not held, because their subscription holds as many as it may',
);

interface Waiting {
  readonly entry: LedgerEntry;
  readonly rows: number;
  readonly length: number;
  readonly resolve: (isRecorded: boolean) => void;
  readonly reject: (reason: unknown) => void;
}

/** Writes what comes at about the same time in one transaction; when it is refused, each entry alone, so that a bad one fails by itself. */
@Injectable()
export class LedgerWriter implements BeforeApplicationShutdown {
  private readonly logger = new Logger('LedgerWriter');
  private waiting: Waiting[] = [];
  private gathering: NodeJS.Timeout | undefined;
  /** True when entries have gathered for long enough, but all transactions are busy. */
  private isOverdue = false;
  private readonly writing = new Set<Promise<void>>();
  /** Entries that are written in a transaction of their tenant. */
  private readonly alone = new Set<Promise<unknown>>();

  constructor(
    private readonly database: Database,
    private readonly entries: LedgerWriterRepository,
    private readonly queueSignal: SubscriptionQueueSignal,
    private readonly orderSignal: DeliveryOrderSignal,
    private readonly states: SubscriptionStateService,
    private readonly changes: ReceiverChanges,
  ) {}

  /** @returns when it is committed; false for a delivery that this process no longer claimed: nothing was written */
  write(entry: LedgerEntry): Promise<boolean> {
    const gone = goneBy(entry);
    if (gone.length > 0) return this.writeGone(entry, gone);
    return new Promise((resolve, reject) => {
      this.waiting.push({ entry, ...sizeOf(entry), resolve, reject });
      this.gathering ??= setTimeout(() => this.begin(), GATHER_MS);
    });
  }

  /** Writes everything that waits; the modules that use this one stop before. */
  async beforeApplicationShutdown(): Promise<void> {
    while (this.waiting.length > 0 || this.writing.size > 0 || this.alone.size > 0) {
      this.begin();
      await Promise.all([...this.writing, ...this.alone]);
    }
  }

  /** What an answer 410 ends and the disabling that it causes are one transaction. @param gone the subscriptions */
  private async writeGone(entry: LedgerEntry, gone: readonly string[]): Promise<boolean> {
    const { tenantId } = entry;
    const written = this.database.transaction(tenantId, async (tx) => {
      // First, in the order in which all others lock: the subscription, then its hold.
      await this.states.lock(tx, gone);
      const outcome = await this.entries.write(tx, [entry]);
      if (isWritten(entry, outcome.settled)) for (const id of gone) await this.states.disable(tx, id, GONE);
      return outcome;
    });
    const ended: Promise<unknown> = Promise.allSettled([written]).then(() => this.alone.delete(ended));
    this.alone.add(ended);
    const { settled, dropped } = await written;
    if (dropped > 0) droppedDeliveries.inc(dropped);
    this.wake([entry]);
    await this.changes.announce({ tenantId });
    return isWritten(entry, settled);
  }

  private begin(): void {
    clearTimeout(this.gathering);
    this.gathering = undefined;
    while (this.waiting.length > 0 && this.writing.size < MOST_AT_ONCE) {
      const written: Promise<void> = this.writeTogether(this.takeBatch()).finally(() => {
        this.writing.delete(written);
        if (this.isOverdue) this.begin();
      });
      this.writing.add(written);
    }
    this.isOverdue = this.waiting.length > 0;
  }

  private takeBatch(): Waiting[] {
    let rows = 0;
    let length = 0;
    let count = 0;
    for (const one of this.waiting) {
      rows += one.rows;
      length += one.length;
      if (count > 0 && (rows > ROWS_TOGETHER || length > LENGTH_TOGETHER)) break;
      count += 1;
    }
    return this.waiting.splice(0, count);
  }

  private async writeTogether(batch: readonly Waiting[]): Promise<void> {
    try {
      if (await this.database.everyTenant.isDistributed()) {
        // So that a node that is away fails its own tenants' entries and no others.
        const groups = byTenant(batch.map((waiting) => ({ tenantId: waiting.entry.tenantId, waiting })));
        if (groups.length > 1) {
          await Promise.all(groups.map(([, own]) => this.writeTogether(own.map(({ waiting }) => waiting))));
          return;
        }
      }
      const settled = await this.commit(batch);
      for (const { entry, resolve } of batch) resolve(isWritten(entry, settled));
    } catch (error) {
      if (batch.length === 1 || isUnavailable(error)) {
        for (const { reject } of batch) reject(error);
        return;
      }
      this.logger.warn({
        msg: `${batch.length} entries could not be written together; each is written alone`,
        err: error,
      });
      for (const one of batch) await this.writeTogether([one]);
    }
  }

  private async commit(batch: readonly Waiting[]): Promise<ReadonlySet<string>> {
    const entries = batch.map(({ entry }) => entry);
    const { settled, dropped } = await this.database.crossTenant((tx) => this.entries.write(tx, entries));
    if (dropped > 0) droppedDeliveries.inc(dropped);
    this.wake(entries);
    return settled;
  }

  private wake(entries: readonly LedgerEntry[]): void {
    if (entries.some(isDue)) this.queueSignal.signal();
    if (entries.some(changesOrder)) this.orderSignal.signal();
  }
}

/** Returns whether each entry would fail alone, too: one may have caused that a statement took too much time or memory. */
const isUnavailable = (error: unknown): boolean => isTemporary(error) && !isExcessive(error);

/** Subscriptions whose receivers said that they are gone. */
function goneBy(entry: LedgerEntry): string[] {
  if (entry.kind === 'hold') return [];
  const ended = entry.kind === 'event' ? entry.deliveries : [entry];
  return ended.filter(isGone).map(({ subscriptionId }) => subscriptionId);
}

const isWritten = (entry: LedgerEntry, settled: ReadonlySet<string>): boolean =>
  entry.kind === 'event' || settled.has(entry.deliveryId);

function sizeOf(entry: LedgerEntry): { rows: number; length: number } {
  if (entry.kind === 'event') return { rows: entry.deliveries.length + 1, length: entry.body.length };
  return { rows: 1, length: entry.kind === 'hold' ? 0 : (entry.outcome?.responseExcerpt?.length ?? 0) };
}

/** Returns whether a partition has grown or lost its head. */
function changesOrder(entry: LedgerEntry): boolean {
  if (entry.kind === 'event') return entry.deliveries.some(({ position }) => position !== null);
  return entry.kind === 'hold' ? entry.isHead : endsHead(entry);
}

function isDue(entry: LedgerEntry): boolean {
  if (entry.kind === 'event') return entry.deliveries.some(({ dueAt, claim }) => dueAt !== null && claim === null);
  return entry.kind === 'settlement' && entry.dueAt !== null;
}

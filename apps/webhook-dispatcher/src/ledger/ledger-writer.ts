import { Database, isExcessive, isTemporary } from '@crm/database';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { DeliveryOrderSignal } from '../queue/delivery-order.signal.js';
import { SubscriptionQueueSignal } from '../queue/queue-signals.js';
import { endsHead, type LedgerEntry } from './ledger-entry.js';
import { droppedDeliveries } from './ledger-metrics.js';
import { LedgerWriterRepository } from './ledger-writer.repository.js';

/**
 * Milliseconds that a record waits for others, which are then written with it. Nobody waits for it: what it says has been
 * sent already. A commit costs the server as much as some twenty deliveries.
 */
const GATHER_MS = 25;
/** Rows that one transaction writes. */
const ROWS_TOGETHER = 1_000;
/** UTF-16 units of the bodies that one transaction writes; a larger one goes alone. */
const LENGTH_TOGETHER = 4_000_000;
/** Transactions at the same time: one is prepared while the server works on the other. */
const AT_THE_SAME_TIME = 2;

interface Entry {
  readonly record: LedgerEntry;
  readonly rows: number;
  readonly length: number;
  readonly resolve: (isRecorded: boolean) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Writes records of the ledger, those of all tenants that come at about the same time in one transaction. When the server
 * refuses a statement, each is written alone, so that one bad record fails by itself.
 */
@Injectable()
export class LedgerWriter implements BeforeApplicationShutdown {
  private readonly logger = new Logger('LedgerWriter');
  private waiting: Entry[] = [];
  private gathering: NodeJS.Timeout | undefined;
  /** Whether something has gathered for long enough, but as much as may be is being written. */
  private isOverdue = false;
  private readonly writing = new Set<Promise<void>>();

  constructor(
    private readonly database: Database,
    private readonly records: LedgerWriterRepository,
    private readonly signal: SubscriptionQueueSignal,
    private readonly orderSignal: DeliveryOrderSignal,
  ) {}

  /**
   * Resolves when the record is committed.
   * @returns false for a claimed delivery that was no longer claimed by this process: nothing was written
   * @throws what `Database.crossTenant` throws
   */
  write(record: LedgerEntry): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ record, ...sizeOf(record), resolve, reject });
      this.gathering ??= setTimeout(() => this.begin(), GATHER_MS);
    });
  }

  /** Nothing that waits is left behind: what writes records stops before. */
  async beforeApplicationShutdown(): Promise<void> {
    while (this.waiting.length > 0 || this.writing.size > 0) {
      this.begin();
      await Promise.all(this.writing);
    }
  }

  private begin(): void {
    clearTimeout(this.gathering);
    this.gathering = undefined;
    while (this.waiting.length > 0 && this.writing.size < AT_THE_SAME_TIME) {
      const written: Promise<void> = this.writeTogether(this.takeBatch()).finally(() => {
        this.writing.delete(written);
        // Those that have gathered while the server was busy.
        if (this.isOverdue) this.begin();
      });
      this.writing.add(written);
    }
    this.isOverdue = this.waiting.length > 0;
  }

  private takeBatch(): Entry[] {
    let rows = 0;
    let length = 0;
    let count = 0;
    for (const entry of this.waiting) {
      rows += entry.rows;
      length += entry.length;
      if (count > 0 && (rows > ROWS_TOGETHER || length > LENGTH_TOGETHER)) break;
      count += 1;
    }
    return this.waiting.splice(0, count);
  }

  private async writeTogether(batch: readonly Entry[]): Promise<void> {
    try {
      const settled = await this.commit(batch);
      for (const { record, resolve } of batch) resolve(record.kind === 'event' || settled.has(record.deliveryId));
    } catch (error) {
      if (batch.length === 1 || isUnavailable(error)) {
        for (const { reject } of batch) reject(error);
        return;
      }
      this.logger.warn({
        msg: `${batch.length} records could not be written together; each is written alone`,
        err: error,
      });
      for (const entry of batch) await this.writeTogether([entry]);
    }
  }

  private async commit(batch: readonly Entry[]): Promise<ReadonlySet<string>> {
    const { settled, dropped } = await this.database.crossTenant((tx) =>
      this.records.write(
        tx,
        batch.map(({ record }) => record),
      ),
    );
    if (dropped > 0) droppedDeliveries.inc(dropped);
    if (batch.some(({ record }) => isDue(record))) this.signal.signal();
    if (batch.some(({ record }) => changesLine(record))) this.orderSignal.signal();
    return settled;
  }
}

/** Whether each record would fail by itself, too. One that takes too long or too much memory may be the only one that does. */
const isUnavailable = (error: unknown): boolean => isTemporary(error) && !isExcessive(error);

function sizeOf(record: LedgerEntry): { rows: number; length: number } {
  if (record.kind === 'event') return { rows: record.deliveries.length + 1, length: record.body.length };
  return { rows: 1, length: record.kind === 'hold' ? 0 : (record.outcome?.responseExcerpt?.length ?? 0) };
}

/** Whether a line has become longer or lost its head. */
function changesLine(record: LedgerEntry): boolean {
  if (record.kind === 'event') return record.deliveries.some(({ place }) => place !== null);
  return record.kind === 'hold' ? record.isHead : endsHead(record);
}

/** Whether the worker has something to look for, now or later. */
function isDue(record: LedgerEntry): boolean {
  if (record.kind === 'event') return record.deliveries.some(({ dueAt, claim }) => dueAt !== null && claim === null);
  return record.kind === 'settlement' && record.dueAt !== null;
}

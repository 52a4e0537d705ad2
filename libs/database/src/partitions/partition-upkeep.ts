import { counter, gauge } from '@crm/telemetry';
import type { Database } from '../database.js';
import type { DatabaseConfig } from '../pool.js';
import type { NarrowTransaction } from '../transaction.js';
import { Sweeper } from '../worker/sweeper.js';
import {
  addDays,
  countDefaultPartition,
  type DropOutcome,
  dayOf,
  daysBetween,
  dropPartition,
  listPartitions,
  makePartition,
  type PartitionedTable,
  retentionOf,
  sweepDefaultPartition,
} from './partitions.js';

const partitionMetrics = {
  daysAhead: gauge('partition_days_ahead', 'Days after today up to the last that has a partition', ['table']),
  defaultRows: gauge('partition_default_rows', 'Rows of days without a partition, counted up to 10,000', ['table']),
  failures: counter('partition_upkeep_failures_total', 'Steps of the upkeep of partitions that failed', ['table']),
};

const UPKEEP_MS = 3_600_000;
/** For how many days rows still find a partition when upkeep no longer succeeds: time enough to notice the alarm. */
const DEFAULT_DAYS_AHEAD = 14;
const SWEEP_BATCH = 1_000;
const MOST_COUNTED = 10_000;

/** Decides whether the partition of a day, `2026-11-22`, may be dropped now that its retention is over. */
type DropCheck = (tx: NarrowTransaction, day: string) => Promise<boolean>;

/** Any number of replicas may do it at once; what fails for one table is tried again by the next sweep. */
export class PartitionUpkeep extends Sweeper {
  private readonly checks = new Map<string, DropCheck>();

  constructor(
    private readonly database: Database,
    private readonly config: Pick<DatabaseConfig, 'retentionDays' | 'partitionDaysAhead'> = {},
    private readonly now: () => number = Date.now,
  ) {
    super({ everyMs: UPKEEP_MS, atStart: true });
  }

  /** Has partitions of a table dropped only if this says so too. To be called when the application is put together. */
  dropOnlyIf(table: string, check: DropCheck): void {
    this.checks.set(table, check);
  }

  /** @throws AggregateError with what failed, after everything else was done */
  async sweep(stopping: AbortSignal): Promise<void> {
    const failures: unknown[] = [];
    for (const partitioned of await this.list()) await this.keep(partitioned, failures, stopping);
    for (const { table, days } of await this.list()) {
      const last = days.at(-1);
      partitionMetrics.daysAhead.set({ table }, last === undefined ? 0 : Math.max(0, daysBetween(this.today(), last)));
    }
    if (failures.length > 0) throw new AggregateError(failures, 'Some partitions could not be made, dropped or swept');
  }

  /** One step fails for what the next would fail for too: after it, the table is left to the next sweep. */
  private async keep(partitioned: PartitionedTable, failures: unknown[], stopping: AbortSignal): Promise<void> {
    const { table } = partitioned;
    const keepDays = retentionOf(table, this.config.retentionDays);
    // Each in a transaction of its own, so that no lock is held for longer than one step takes.
    const step = <T>(work: (tx: NarrowTransaction) => Promise<T>): Promise<T> => this.database.crossTenant(work);
    try {
      for (const day of this.missing(partitioned, keepDays)) {
        if (stopping.aborted || (await step((tx) => makePartition(tx, table, day))) === 'busy') break;
      }
      for (const day of this.over(partitioned, keepDays)) {
        if (stopping.aborted || (await step((tx) => this.drop(tx, table, day))) === 'busy') break;
      }
      let swept = SWEEP_BATCH;
      while (swept === SWEEP_BATCH && !stopping.aborted) {
        swept = await step((tx) => sweepDefaultPartition(tx, table, keepDays, SWEEP_BATCH));
      }
      partitionMetrics.defaultRows.set({ table }, await step((tx) => countDefaultPartition(tx, table, MOST_COUNTED)));
    } catch (error) {
      partitionMetrics.failures.inc({ table });
      failures.push(error);
    }
  }

  private list(): Promise<PartitionedTable[]> {
    return this.database.crossTenant((tx) => listPartitions(tx));
  }

  private today(): string {
    return dayOf(this.now());
  }

  /** Days from before the table was made belong to the default partition: events that are older than their consumer. */
  private missing({ days }: PartitionedTable, keepDays: number): string[] {
    const today = this.today();
    const oldestKept = addDays(today, -keepDays);
    const present = new Set(days);
    const missing: string[] = [];
    let day = days[0] === undefined || days[0] > today ? today : days[0];
    if (day < oldestKept) day = oldestKept;
    const last = addDays(today, this.config.partitionDaysAhead ?? DEFAULT_DAYS_AHEAD);
    for (; day <= last; day = addDays(day, 1)) {
      if (!present.has(day)) missing.push(day);
    }
    return missing;
  }

  private over({ days }: PartitionedTable, keepDays: number): string[] {
    const oldestKept = addDays(this.today(), -keepDays);
    return days.filter((day) => day < oldestKept);
  }

  private async drop(tx: NarrowTransaction, table: string, day: string): Promise<DropOutcome | 'kept'> {
    const check = this.checks.get(table);
    return check === undefined || (await check(tx, day)) ? dropPartition(tx, table, day) : 'kept';
  }
}

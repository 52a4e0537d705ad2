import type { Queryable } from '../transaction.js';
import {
  COUNT_DEFAULT_PARTITION,
  DROP_PARTITION,
  LIST_PARTITIONS,
  MAKE_PARTITION,
  SWEEP_DEFAULT_PARTITION,
} from './partitions.sql.js';

// For the narrow role, which may call the functions; days are of UTC, as `2026-11-22`. Each call that changes partitions
// waits for a lock for 100 ms at most; then it fails with SQLSTATE 55P03, and a transaction with SERVICE_UNAVAILABLE.

/** A table that is partitioned by day, and the days that have a partition, in ascending order. */
export interface PartitionedTable {
  table: string;
  days: string[];
}

export const listPartitions = (queryable: Queryable): Promise<PartitionedTable[]> =>
  queryable.query<PartitionedTable>(LIST_PARTITIONS);

/**
 * `made`: there was none; `present`: there is one; `default`: rows of that day are in the default partition, where the day
 * stays until they are swept; `busy`: another session is changing the partitions of the table.
 */
export type MakeOutcome = 'made' | 'present' | 'default' | 'busy';

export type DropOutcome = 'dropped' | 'absent' | 'busy';

/** @throws DatabaseError 42P01 when the table is not partitioned by day, 22023 for a day far from today */
export async function makePartition(queryable: Queryable, table: string, day: string): Promise<MakeOutcome> {
  const [row] = await queryable.query<{ outcome: MakeOutcome }>(MAKE_PARTITION, [table, day]);
  return (row as { outcome: MakeOutcome }).outcome;
}

/**
 * Drops the partition of a day with all its rows.
 * @throws DatabaseError 42P01 when the table is not partitioned by day, 22023 for yesterday or a later day
 */
export async function dropPartition(queryable: Queryable, table: string, day: string): Promise<DropOutcome> {
  const [row] = await queryable.query<{ outcome: DropOutcome }>(DROP_PARTITION, [table, day]);
  return (row as { outcome: DropOutcome }).outcome;
}

/**
 * Deletes rows of the default partition that arrived more than `keepDays` days ago.
 * @param keepDays at least 1
 * @returns how many were deleted, `limit` at most
 */
export async function sweepDefaultPartition(
  queryable: Queryable,
  table: string,
  keepDays: number,
  limit: number,
): Promise<number> {
  const [row] = await queryable.query<{ deleted: string }>(SWEEP_DEFAULT_PARTITION, [table, keepDays, limit]);
  return Number((row as { deleted: string }).deleted);
}

/** How many rows are in the default partition, counted up to `limit`. */
export async function countDefaultPartition(queryable: Queryable, table: string, limit: number): Promise<number> {
  const [row] = await queryable.query<{ counted: string }>(COUNT_DEFAULT_PARTITION, [table, limit]);
  return Number((row as { counted: string }).counted);
}

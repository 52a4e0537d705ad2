import type { Queryable } from '../transaction.js';

const DAY_MS = 86_400_000;

/** The UTC day of a time in milliseconds, as `2026-11-22`; such texts sort by time. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export const addDays = (day: string, days: number): string => dayOf(Date.parse(day) + days * DAY_MS);

export const daysBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / DAY_MS;

/** Outbox: as long as the broker keeps events, to fill a lost stream. Inbox: longer than both, as an event may come again. */
const DEFAULT_DAYS: ReadonlyMap<string, number> = new Map([
  ['outbox', 7],
  ['inbox', 15],
]);
const OTHERWISE_DAYS = 30;

export const defaultRetention = (table: string): number => DEFAULT_DAYS.get(table) ?? OTHERWISE_DAYS;

export const retentionOf = (table: string, configured: Readonly<Record<string, number>> = {}): number =>
  configured[table] ?? defaultRetention(table);

// The partitions of tables that are partitioned by day. The functions are those of migrations/partition-functions.ts.

/** Each table that is partitioned by day, and the days that have a partition, in ascending order. */
export const LIST_PARTITIONS = `
  SELECT parent.relname AS "table",
         coalesce(array_agg(to_date(right(child.relname, 8), 'YYYYMMDD')::text ORDER BY child.relname)
                    FILTER (WHERE child.oid <> partitioned.partdefid), '{}') AS days
    FROM pg_partitioned_table AS partitioned
    JOIN pg_class AS parent ON parent.oid = partitioned.partrelid
    JOIN pg_inherits ON pg_inherits.inhparent = parent.oid
    JOIN pg_class AS child ON child.oid = pg_inherits.inhrelid
   WHERE partitioned.partstrat = 'r' AND partitioned.partdefid <> 0
     AND parent.relnamespace = 'public'::regnamespace
   GROUP BY parent.relname ORDER BY parent.relname`;

/** $1: table, $2: day. */
export const MAKE_PARTITION = 'SELECT make_partition($1, $2) AS outcome';

/** $1: table, $2: day. */
export const DROP_PARTITION = 'SELECT drop_partition($1, $2) AS outcome';

/** $1: table, $2: days that a row is kept, $3: limit. */
export const SWEEP_DEFAULT_PARTITION = 'SELECT sweep_default_partition($1, $2, $3) AS deleted';

/** $1: table, $2: limit. */
export const COUNT_DEFAULT_PARTITION = 'SELECT count_default_partition($1, $2) AS counted';

// For the narrow role, which may call the functions; days are of UTC, as `2026-11-22`. Each call that changes partitions
// waits for a lock for 100 ms at most; then it fails with SQLSTATE 55P03, and a transaction with SERVICE_UNAVAILABLE.

/** A table that is partitioned by day, and the days that have a partition, in ascending order. */
export interface PartitionedTable {
  table: string;
  days: string[];
}

export const listPartitions = (queryable: Queryable): Promise<PartitionedTable[]> =>
  queryable.query<PartitionedTable>(LIST_PARTITIONS);

/** `default`: its rows are in the default partition until swept; `busy`: another session changes the partitions. */
export type MakeOutcome = 'made' | 'present' | 'default' | 'busy';

export type DropOutcome = 'dropped' | 'absent' | 'busy';

/** @throws DatabaseError 42P01 when the table is not partitioned by day, 22023 for a day far from today */
export async function makePartition(queryable: Queryable, table: string, day: string): Promise<MakeOutcome> {
  const [row] = await queryable.query<{ outcome: MakeOutcome }>(MAKE_PARTITION, [table, day]);
  return (row as { outcome: MakeOutcome }).outcome;
}

/** @throws DatabaseError 42P01 when the table is not partitioned by day, 22023 for yesterday or a later day */
export async function dropPartition(queryable: Queryable, table: string, day: string): Promise<DropOutcome> {
  const [row] = await queryable.query<{ outcome: DropOutcome }>(DROP_PARTITION, [table, day]);
  return (row as { outcome: DropOutcome }).outcome;
}

/** Deletes rows that arrived more than `keepDays` days ago. @returns how many were deleted, `limit` at most */
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

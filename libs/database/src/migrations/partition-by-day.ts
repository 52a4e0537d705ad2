import type { ServiceDatabase } from '@crm/contracts';
import type { QueryRunner } from 'typeorm';
import { identifier } from './identifiers.js';
import { createPartitionFunctions } from './partition-functions.js';

/** First and last day, from today, that have a partition after the migration; the upkeep makes the others. */
const FIRST_DAY = -1;
const LAST_DAY = 2;

/** Of `<table>_p20261122` and `<table>_default`: Postgres truncates names after 63 characters. */
const LONGEST_SUFFIX = '_default_arrival_idx';

/** What a table says that is partitioned by day. */
export interface DayPartitions {
  /**
   * A column with a UUIDv7, part of the primary key and of every unique key: the table then has one partition for each UTC
   * day of the time in it, and `<table>_default` for ids of every other day. PartitionUpkeep makes the partitions ahead, and
   * drops those whose retention is over. Whatever should be unique beyond the id is expressed by the id (`idOf`).
   */
  partitionedBy?: string;
  /** The `timestamptz` of a row's arrival, by which rows of the default partition age; default `created_at`. */
  arrival?: string;
}

interface Definition extends DayPartitions {
  name: string;
  columns: string;
  primaryKey?: string[];
  unique?: string[][];
  references?: { table: string }[];
}

/** @throws Error when the table cannot be partitioned as it says */
export function assertCanBePartitioned({ name, partitionedBy, arrival, ...table }: Definition): void {
  if (partitionedBy === undefined) {
    if (arrival !== undefined) throw new Error(`${name}: arrival is for tables that are partitioned`);
    return;
  }
  identifier(`${name}${LONGEST_SUFFIX}`);
  for (const key of [table.primaryKey ?? ['id'], ...(table.unique ?? [])]) {
    if (!key.includes(partitionedBy)) {
      throw new Error(`${name}: the key (${key.join(', ')}) needs ${partitionedBy}, by which the table is partitioned`);
    }
  }
  if (table.references?.length) {
    throw new Error(
      `${name}: a partition that comes or goes would lock the tables that a partitioned table references`,
    );
  }
}

/** @throws Error when the table references a partitioned one: dropping a partition would search it for references */
export async function assertReferencesNoPartitions(runner: QueryRunner, table: Definition): Promise<void> {
  for (const reference of table.references ?? []) {
    const found = await runner.query(`SELECT 1 FROM pg_class WHERE oid = to_regclass($1) AND relkind = 'p'`, [
      reference.table,
    ]);
    if (found.length > 0) throw new Error(`${table.name}: ${reference.table} is partitioned and cannot be referenced`);
  }
}

/**
 * Adds the default partition and the first days. The default partition shows its rows to the owner, whose functions count
 * and sweep them; like every partition it is granted to no other role.
 * @param storage SQL of the storage parameters of each partition, with its WITH
 */
export async function partitionByDay(
  runner: QueryRunner,
  roles: ServiceDatabase,
  table: Definition,
  storage: string,
): Promise<void> {
  await createPartitionFunctions(runner, roles);
  const fallback = identifier(`${table.name}_default`);
  const arrival = identifier(table.arrival ?? 'created_at');
  await runner.query(`CREATE TABLE ${fallback} PARTITION OF ${table.name} DEFAULT${storage}`);
  await runner.query(`ALTER TABLE ${fallback} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY`);
  for (const command of ['select', 'delete']) {
    await runner.query(
      `CREATE POLICY owner_${command} ON ${fallback} FOR ${command} TO ${identifier(roles.ownerRole)} USING (true)`,
    );
  }
  await runner.query(`CREATE INDEX ${fallback}_arrival_idx ON ${fallback} (${arrival})`);
  await runner.query(
    `SELECT make_partition($1, (now() AT TIME ZONE 'UTC')::date + day) FROM generate_series(${FIRST_DAY}, ${LAST_DAY}) AS day`,
    [table.name],
  );
}

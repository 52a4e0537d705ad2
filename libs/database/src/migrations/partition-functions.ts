import type { ServiceDatabase } from '@crm/contracts';
import type { QueryRunner } from 'typeorm';

const IDENTIFIER = /^[a-z_][a-z0-9_]{0,62}$/;

/**
 * A name for use in SQL text.
 * @throws Error when it is not lower-case snake_case, so that no name ever needs quoting
 */
export function identifier(name: string): string {
  if (!IDENTIFIER.test(name)) throw new Error(`"${name}" is not a lower-case SQL name of at most 63 characters`);
  return name;
}

/** The name of a constraint or index, truncated to Postgres' limit of 63 characters. */
export function derivedName(...parts: readonly string[]): string {
  return identifier(
    parts
      .join('_')
      .replace(/[^a-z0-9_]+/g, '_')
      .slice(0, 63),
  );
}

/** First key of the advisory lock under which a table's partitions change; the second is the table. An arbitrary constant. */
const PARTITION_LOCK = 47_152_015;

/**
 * How long a change of a table's partitions waits for a lock. Every statement on the table that comes later waits behind it,
 * so this bounds how long the upkeep can delay traffic; what did not get its lock is tried again.
 */
const LOCK_TIMEOUT_MS = 100;

/** Days around today for which a partition may be made: a caller cannot fill the catalogue with tables. */
const MAX_DAYS_BACK = 400;
const MAX_DAYS_AHEAD = 60;

/**
 * Finds the table that was named: one of the owner's that is partitioned by ranges of one UUID column and has a default
 * partition. The catalogue is the register, and only createTenantTable makes such tables. Nothing that a caller passes
 * reaches the text of a statement before this has found a table of that name.
 */
const FIND_TABLE = `
  SELECT c.oid, p.partdefid INTO parent, fallback
    FROM pg_class c JOIN pg_partitioned_table p ON p.partrelid = c.oid
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = p.partattrs[0]
   WHERE c.relname = table_name AND c.relnamespace = 'public'::regnamespace
     AND pg_get_userbyid(c.relowner) = current_user AND p.partstrat = 'r' AND p.partnatts = 1
     AND a.atttypid = 'uuid'::regtype AND p.partdefid <> 0;
  IF parent IS NULL THEN
    RAISE EXCEPTION 'no table % is partitioned by day', table_name USING ERRCODE = 'undefined_table';
  END IF;`;

/** One at a time: of two replicas that make or drop partitions at once, the second leaves it to the first. */
const LOCK_TABLE = `
  IF NOT pg_try_advisory_xact_lock(${PARTITION_LOCK}, parent::integer) THEN
    RETURN 'busy';
  END IF;`;

const TODAY = `(now() AT TIME ZONE 'UTC')::date`;

/** The smallest UUIDv7 of a day: its first 12 hexadecimal digits are the milliseconds since 1970 (RFC 9562, section 5.7). */
const lowest = (day: string): string =>
  `(lpad(to_hex(extract(epoch FROM (${day})::timestamp)::bigint * 1000), 12, '0') || repeat('0', 20))::uuid`;

interface PartitionFunction {
  readonly name: string;
  /** Parameters and result, in SQL. */
  readonly signature: string;
  /** Types of the parameters, for GRANT. */
  readonly types: string;
  readonly body: string;
}

/**
 * The table is made apart and then attached, which other statements on the partitioned table need not wait for: CREATE TABLE
 * … PARTITION OF would lock it against all of them. Only the default partition is locked and searched for rows of the day.
 * When it has some, the day stays there: moving them would hold that lock for as long as it takes.
 *
 * Nobody is granted anything on a partition and it has no policy, so all access is by the partitioned table, whose policies
 * apply. Its columns' identity is not copied, since a partition shares that of its parent.
 */
const MAKE: PartitionFunction = {
  name: 'make_partition',
  signature: '(table_name text, day date) RETURNS text',
  types: '(text, date)',
  body: `
DECLARE
  parent oid;
  fallback oid;
  partition text := table_name || to_char(day, '"_p"YYYYMMDD');
  options text;
BEGIN
  ${FIND_TABLE}
  IF day IS NULL OR day NOT BETWEEN ${TODAY} - ${MAX_DAYS_BACK} AND ${TODAY} + ${MAX_DAYS_AHEAD} THEN
    RAISE EXCEPTION 'no partition is made for %', day USING ERRCODE = 'invalid_parameter_value';
  END IF;
  ${LOCK_TABLE}
  IF to_regclass(format('public.%I', partition)) IS NOT NULL THEN
    RETURN 'present';
  END IF;
  SELECT ' WITH (' || array_to_string(c.reloptions, ', ') || ')' INTO options FROM pg_class c WHERE c.oid = fallback;
  BEGIN
    EXECUTE format('CREATE TABLE public.%I (LIKE %s INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED'
      ' INCLUDING STORAGE INCLUDING COMPRESSION)%s', partition, parent::regclass, coalesce(options, ''));
    EXECUTE format('ALTER TABLE public.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', partition);
    EXECUTE format('ALTER TABLE %s ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)', parent::regclass, partition,
      ${lowest('day')}, ${lowest('day + 1')});
  EXCEPTION WHEN check_violation THEN
    RETURN 'default';
  END;
  RETURN 'made';
END`,
};

/**
 * The whole table has to be locked for the moment in which a partition leaves it: DETACH … CONCURRENTLY is refused where
 * there is a default partition. The file is deleted after the lock is released. Today and yesterday, to which rows are
 * still written, are never dropped, whatever a caller asks for.
 */
const DROP: PartitionFunction = {
  name: 'drop_partition',
  signature: '(table_name text, day date) RETURNS text',
  types: '(text, date)',
  body: `
DECLARE
  parent oid;
  fallback oid;
  partition oid;
BEGIN
  ${FIND_TABLE}
  IF day IS NULL OR day >= ${TODAY} - 1 THEN
    RAISE EXCEPTION 'the partition of % is not dropped', day USING ERRCODE = 'invalid_parameter_value';
  END IF;
  ${LOCK_TABLE}
  SELECT c.oid INTO partition FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
   WHERE i.inhparent = parent AND c.relname = table_name || to_char(day, '"_p"YYYYMMDD');
  IF partition IS NULL THEN
    RETURN 'absent';
  END IF;
  EXECUTE format('DROP TABLE %s', partition::regclass);
  RETURN 'dropped';
END`,
};

/**
 * The age of a row in the default partition is that of its arrival, because the time in its id may be any. The column is that
 * of the one index which only the default partition has.
 */
const SWEEP: PartitionFunction = {
  name: 'sweep_default_partition',
  signature: '(table_name text, keep_days integer, max_rows integer) RETURNS bigint',
  types: '(text, integer, integer)',
  body: `
DECLARE
  parent oid;
  fallback oid;
  arrival name;
  deleted bigint;
BEGIN
  ${FIND_TABLE}
  IF keep_days IS NULL OR keep_days < 1 THEN
    RAISE EXCEPTION 'rows are kept for a day at least' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  SELECT a.attname INTO STRICT arrival FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
   WHERE i.indrelid = fallback AND NOT EXISTS (SELECT 1 FROM pg_inherits h WHERE h.inhrelid = i.indexrelid);
  EXECUTE format('DELETE FROM %1$s WHERE ctid = ANY (ARRAY(SELECT ctid FROM %1$s WHERE %2$I < now() - make_interval(days => $1)'
    ' ORDER BY %2$I LIMIT $2))', fallback::regclass, arrival) USING keep_days, max_rows;
  GET DIAGNOSTICS deleted = ROW_COUNT;
  RETURN deleted;
END`,
};

const COUNT: PartitionFunction = {
  name: 'count_default_partition',
  signature: '(table_name text, max_rows integer) RETURNS bigint',
  types: '(text, integer)',
  body: `
DECLARE
  parent oid;
  fallback oid;
  counted bigint;
BEGIN
  ${FIND_TABLE}
  EXECUTE format('SELECT count(*) FROM (SELECT FROM %s LIMIT $1) AS found', fallback::regclass) INTO counted USING max_rows;
  RETURN counted;
END`,
};

const FUNCTIONS: readonly PartitionFunction[] = [MAKE, DROP, SWEEP, COUNT];

/**
 * Text by name of the functions that change partitions with the rights of the owner, for the check of the catalogue: they
 * act on the rows of every tenant, so they must be these and no others.
 */
export const PARTITION_FUNCTIONS: ReadonlyMap<string, string> = new Map(
  FUNCTIONS.map(({ name, body }) => [name, body]),
);

/**
 * Creates the functions by which the narrow role has partitions made and dropped, since no role that a service connects as
 * may define tables. Can be repeated.
 */
async function createPartitionFunctions(runner: QueryRunner, roles: ServiceDatabase): Promise<void> {
  for (const { name, signature, types, body } of FUNCTIONS) {
    await runner.query(
      `CREATE OR REPLACE FUNCTION ${name} ${signature} LANGUAGE plpgsql SECURITY DEFINER
       SET search_path = pg_catalog, pg_temp SET lock_timeout = ${LOCK_TIMEOUT_MS} AS $body$${body}$body$`,
    );
    await runner.query(`REVOKE ALL ON FUNCTION ${name} ${types} FROM PUBLIC`);
    await runner.query(`GRANT EXECUTE ON FUNCTION ${name} ${types} TO ${identifier(roles.narrowRole)}`);
  }
}

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

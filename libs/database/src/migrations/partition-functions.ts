import type { ServiceDatabase } from '@crm/contracts';
import type { QueryRunner } from 'typeorm';

const IDENTIFIER = /^[a-z_][a-z0-9_]{0,62}$/;

/** @throws Error when it is not lower-case snake_case, so that no name ever needs quoting */
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

/** Every later statement on the table waits behind a change of its partitions: this bounds the delay; it is tried again. */
const LOCK_TIMEOUT_MS = 100;

/** Days around today for which a partition may be made: a caller cannot fill the catalogue with tables. */
const MAX_DAYS_BACK = 400;
const MAX_DAYS_AHEAD = 60;

/** Nothing that a caller passes reaches the text of a statement before this has found a table of the owner with that name. */
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

/**
 * One at a time: of two replicas that make or drop partitions at once, the second leaves it to the first. SET LOCAL holds on
 * the nodes of a cluster too, unlike the setting of the function.
 */
const LOCK_TABLE = `
  SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS};
  IF NOT pg_try_advisory_xact_lock(${PARTITION_LOCK}, parent::integer) THEN
    RETURN 'busy';
  END IF;`;

const TODAY = `(now() AT TIME ZONE 'UTC')::date`;

/** The smallest UUIDv7 of a day: its first 12 hexadecimal digits are the milliseconds since 1970 (RFC 9562, section 5.7). */
const lowest = (day: string): string =>
  `(lpad(to_hex(extract(epoch FROM (${day})::timestamp)::bigint * 1000), 12, '0') || repeat('0', 20))::uuid`;

interface PartitionFunction {
  readonly name: string;
  readonly signature: string;
  /** Types of the parameters, for GRANT. */
  readonly types: string;
  readonly body: string;
}

/**
 * Made apart and then attached, so that only the default partition is locked: CREATE … PARTITION OF would lock all of
 * it. A day with rows in the default partition stays there. No grants, no policy: access is by the partitioned table.
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

/** Locks the whole table for a moment: DETACH … CONCURRENTLY is refused where there is a default partition. */
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

/** A row of the default partition ages by its arrival, because the time in its id may be any. */
const SWEEP: PartitionFunction = {
  name: 'sweep_default_partition',
  signature: '(table_name text, keep_days integer, max_rows integer) RETURNS bigint',
  types: '(text, integer, integer)',
  body: `
DECLARE
  parent oid;
  fallback oid;
  arrival name;
  key_columns text;
  deleted bigint;
BEGIN
  ${FIND_TABLE}
  IF keep_days IS NULL OR keep_days < 1 THEN
    RAISE EXCEPTION 'rows are kept for a day at least' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  SELECT a.attname INTO STRICT arrival FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
   WHERE i.indrelid = fallback AND NOT EXISTS (SELECT 1 FROM pg_inherits h WHERE h.inhrelid = i.indexrelid);
  SELECT string_agg(quote_ident(a.attname), ', ') INTO STRICT key_columns FROM pg_index i
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey::smallint[])
   WHERE i.indrelid = fallback AND i.indisprimary;
  EXECUTE format('DELETE FROM %1$s WHERE (%3$s) IN (SELECT %3$s FROM %1$s WHERE %2$I < now() - make_interval(days => $1)'
    ' ORDER BY %2$I LIMIT $2)', fallback::regclass, arrival, key_columns) USING keep_days, max_rows;
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
  EXECUTE format('SELECT count(*) FROM (SELECT 1 FROM %s LIMIT $1) AS found', fallback::regclass) INTO counted USING max_rows;
  RETURN counted;
END`,
};

const FUNCTIONS: readonly PartitionFunction[] = [MAKE, DROP, SWEEP, COUNT];

/** For the check of the catalogue: functions that act on the rows of every tenant must be these and no others. */
export const PARTITION_FUNCTIONS: ReadonlyMap<string, string> = new Map(
  FUNCTIONS.map(({ name, body }) => [name, body]),
);

/** No role that a service connects as may define tables: the narrow role has partitions made by these. Can be repeated. */
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

/** The longest name that is made from the table's: Postgres truncates names after 63 characters. */
const LONGEST_SUFFIX = '_default_arrival_idx';

export interface DayPartitions {
  /** A UUIDv7 in every key: a partition for each UTC day of its time, `<table>_default` for ids of every other day. */
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

/** Only the owner, whose functions count and sweep them, sees the rows of the default partition. */
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

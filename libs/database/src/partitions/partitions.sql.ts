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

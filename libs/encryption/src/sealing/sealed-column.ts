import type { Database, NarrowTransaction, Queryable, TenantTransaction } from '@crm/database';

export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** The primary key, without tenant_id. */
  readonly key: { readonly column: string; readonly type: 'uuid' | 'text' };
  /** `tenant`: the runtime role in its context, with `tenant_id` open to the narrow role; `global`: the narrow role. */
  readonly reach: 'tenant' | 'global';
  /** What the box of a row is bound to. `tenantId` is empty in a global table. */
  context(row: { readonly key: string; readonly tenantId: string }): string;
}

export const nameOf = ({ table, column }: SealedColumn): string => `${table}.${column}`;

/** $1: the last tenant that was read, or null; $2: at most so many. */
const tenantsOf = ({ table }: SealedColumn): string => `
  SELECT DISTINCT tenant_id AS "tenantId" FROM ${table}
   WHERE $1::uuid IS NULL OR tenant_id > $1 ORDER BY tenant_id LIMIT $2`;

/** Policies show the tenant's. $1: the head of the current key, $2: key of the last row that was read, or null, $3: limit. */
export const boxesOfOtherKeys = ({ table, column, key }: SealedColumn): string => `
  SELECT ${key.column}::text AS key, ${column} AS box FROM ${table}
   WHERE ${column} IS NOT NULL AND substring(${column} FROM 1 FOR octet_length($1::bytea)) <> $1
     AND ($2::${key.type} IS NULL OR ${key.column} > $2)
   ORDER BY ${key.column} LIMIT $3`;

/** Some boxes. Policies show those of the tenant. $1: at most so many. */
export const someBoxes = ({ table, column, key }: SealedColumn): string => `
  SELECT ${key.column}::text AS key, ${column} AS box FROM ${table} WHERE ${column} IS NOT NULL LIMIT $1`;

/** No row when the service has changed it meanwhile. $1: key of the row, $2: the box that was read, $3: the new one. */
export const replaceBox = ({ table, column, key }: SealedColumn): string => `
  UPDATE ${table} SET ${column} = $3 WHERE ${key.column} = $1::${key.type} AND ${column} = $2 RETURNING 1`;

/** How many boxes name which key. What is no box is counted under its first bytes, so that it is not overlooked. */
export const countByKey = ({ table, column }: SealedColumn): string => `
  SELECT CASE
      WHEN octet_length(${column}) > 29 AND get_byte(${column}, 0) = 1 THEN ''
      WHEN octet_length(${column}) > 30 AND get_byte(${column}, 0) = 2
        THEN encode(substring(${column} FROM 3 FOR get_byte(${column}, 1)), 'escape')
      ELSE '?' || encode(substring(${column} FROM 1 FOR 8), 'hex')
    END AS id, count(*)::integer AS boxes
    FROM ${table} WHERE ${column} IS NOT NULL GROUP BY 1`;

const BYTES = `
  SELECT c.relname || '.' || a.attname AS name
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
   WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped
     AND a.atttypid = 'bytea'::regtype AND n.nspname NOT IN ('pg_catalog', 'information_schema')
   ORDER BY 1`;

/** What compares is not opened again. */
const COMPARED = /_(hash|mac)$/;
/** Columns of every service: events that wait, and the register itself. */
const OF_LIBRARIES = ['dead_letter.payload', 'encryption_key.check_box'];

/**
 * A test of each service wants none: a sealed column that is not listed would keep its old key, and be lost with it.
 * @param others columns that hold something else, or boxes of keys that are not the service's
 */
export async function unlistedColumns(
  queryable: Queryable,
  columns: readonly SealedColumn[],
  others: readonly string[] = [],
): Promise<{ unlisted: string[]; unknown: string[] }> {
  const present = (await queryable.query<{ name: string }>(BYTES)).map(({ name }) => name);
  const listed = columns.map(nameOf);
  return {
    unlisted: present.filter((name) => !COMPARED.test(name) && ![...listed, ...others, ...OF_LIBRARIES].includes(name)),
    unknown: [...listed, ...others].filter((name) => !present.includes(name)),
  };
}

const TENANTS_AT_A_TIME = 500;

/** Runs a transaction that sees some of the rows of a column: those of one tenant, or all of a global table. */
export type RowAccess = {
  /** Empty in a global table. */
  readonly tenantId: string;
  run<T>(work: (tx: TenantTransaction | NarrowTransaction) => Promise<T>): Promise<T>;
};

/** The ways to all rows of a column, one tenant after the other, as the policies of the database want it. */
export async function* accessesTo(database: Database, column: SealedColumn): AsyncGenerator<RowAccess> {
  if (column.reach === 'global') {
    yield { tenantId: '', run: (work) => database.crossTenant(work) };
    return;
  }
  let tenants: { tenantId: string }[] = [];
  do {
    const after = tenants.at(-1)?.tenantId ?? null;
    tenants = await database.crossTenant((tx) => tx.query(tenantsOf(column), [after, TENANTS_AT_A_TIME]));
    for (const { tenantId } of tenants) {
      yield { tenantId, run: (work) => database.transaction(tenantId, work) };
    }
  } while (tenants.length === TENANTS_AT_A_TIME);
}

import type { SealedColumn } from './sealed-column.js';

/** $1: the last tenant that was read, or null; $2: at most so many. */
export const tenantsOf = ({ table }: SealedColumn): string => `
  SELECT DISTINCT tenant_id AS "tenantId" FROM ${table}
   WHERE $1::uuid IS NULL OR tenant_id > $1 ORDER BY tenant_id LIMIT $2`;

/**
 * Boxes that begin in another way than those of the current key, behind a row that was read. Policies show those of the tenant.
 * $1: the head of the current key, $2: the key of the last row that was read, or null, $3: at most so many.
 */
export const boxesOfOtherKeys = ({ table, column, key }: SealedColumn): string => `
  SELECT ${key.column}::text AS key, ${column} AS box FROM ${table}
   WHERE ${column} IS NOT NULL AND substring(${column} FROM 1 FOR octet_length($1::bytea)) <> $1
     AND ($2::${key.type} IS NULL OR ${key.column} > $2)
   ORDER BY ${key.column} LIMIT $3`;

/** Some boxes. Policies show those of the tenant. $1: at most so many. */
export const someBoxes = ({ table, column, key }: SealedColumn): string => `
  SELECT ${key.column}::text AS key, ${column} AS box FROM ${table} WHERE ${column} IS NOT NULL LIMIT $1`;

/**
 * Puts a box in the place of another; gives no row when the service has changed it meanwhile.
 * $1: key of the row, $2: the box that was read, $3: the new one.
 */
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

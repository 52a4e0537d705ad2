import type { Queryable } from '@crm/database';
import { nameOf, type SealedColumn } from './sealed-column.js';

const BYTES = `
  SELECT c.relname || '.' || a.attname AS name
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
   WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped
     AND a.atttypid = 'bytea'::regtype AND n.nspname NOT IN ('pg_catalog', 'information_schema')
   ORDER BY 1`;

/** What compares is not opened again. */
const COMPARED = /_(hash|mac)$/;
/** Of every service: events that wait, and the register itself. */
const OF_LIBRARIES = ['dead_letter.payload', 'encryption_key.check_box'];

/**
 * Columns of bytes that are neither listed as sealed nor known to be something else. A test of each service wants none: a
 * sealed column that is not listed would keep its old key for ever, and lose it with the key.
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

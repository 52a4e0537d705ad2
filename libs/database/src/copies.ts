/**
 * Bytes of copies that one statement writes: about half a second of CPU time in Postgres, which compresses each copy
 * separately. A statement stays far below `statement_timeout` even when the server runs sixteen of them at a time.
 */
const MAX_COPIED_BYTES = 16_000_000;

/**
 * Splits rows that will each store a copy of the same long text into batches, one per statement. A single statement for
 * all rows could exceed `statement_timeout` on every attempt.
 * @param bytes of the text
 * @returns the rows in their order; at least one row in each batch
 */
export function copiesByStatement<T>(rows: readonly T[], bytes: number): T[][] {
  const size = Math.max(1, Math.floor(MAX_COPIED_BYTES / Math.max(1, bytes)));
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, part) => rows.slice(part * size, (part + 1) * size));
}

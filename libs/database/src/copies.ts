/**
 * Bytes of copies that one statement writes: about half a second of a core in Postgres, which compresses each copy by
 * itself. So a statement stays far from `statement_timeout` also when the server does sixteen of them at a time.
 */
const MAX_COPIED_BYTES = 16_000_000;

/**
 * Splits rows that are to hold the same long text, each a copy of its own, into as many as one statement may write. A
 * statement of all of them could take so long that it is cancelled, each time it is tried.
 * @param bytes of the text
 * @returns the rows in their order; at least one row in each part
 */
export function copiesByStatement<T>(rows: readonly T[], bytes: number): T[][] {
  const size = Math.max(1, Math.floor(MAX_COPIED_BYTES / Math.max(1, bytes)));
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, part) => rows.slice(part * size, (part + 1) * size));
}

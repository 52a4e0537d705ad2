import type { NarrowTransaction } from '../transaction.js';

/** Which rows of a table may go: those whose time is not after another. SQL of our own, never of a caller. */
export interface Expiry {
  readonly table: string;
  /** A timestamp, with an index. */
  readonly column: string;
  readonly upTo: string;
  /** Makes of a deletion the statement that also takes what it returns. @param deletion without RETURNING @param from whose rows go */
  readonly counted?: (deletion: string, from: string) => string;
  /** What belongs to its rows and goes with them: the columns, besides the tenant, that are equal in both, by the owner's name. */
  readonly along?: readonly { readonly table: string; readonly on: Readonly<Record<string, string>> }[];
}

/**
 * Deletes the rows that expired first, of all tenants, and those that expired together with the last of them: not by a limit, which a
 * statement over several servers cannot have. All at once could take longer than a statement may.
 * @param most rows in one transaction
 * @returns whether there may be more
 */
export async function deleteOldest(
  tx: NarrowTransaction,
  { table, column, upTo, counted = (deletion) => deletion, along = [] }: Expiry,
  most: number,
): Promise<boolean> {
  const [row] = await tx.query<{ last: string | null }>(
    `SELECT max(${column})::text AS last
       FROM (SELECT ${column} FROM ${table} WHERE ${column} <= ${upTo} ORDER BY ${column} LIMIT $1) AS oldest`,
    [most],
  );
  if (!row?.last) return false;
  for (const { table: other, on } of along) {
    const pairs = Object.entries({ tenant_id: 'tenant_id', ...on });
    const deletion = `DELETE FROM ${other} AS other USING ${table} AS owner
        WHERE owner.${column} <= $1::timestamptz AND ${pairs.map(([own, its]) => `other.${its} = owner.${own}`).join(' AND ')}`;
    await tx.query(counted(deletion, other), [row.last]);
  }
  await tx.query(counted(`DELETE FROM ${table} AS other WHERE ${column} <= $1::timestamptz`, table), [row.last]);
  return true;
}

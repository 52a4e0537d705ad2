import type { Database } from '@crm/database';
import { accessesTo } from './rows.js';
import { nameOf, type SealedColumn } from './sealed-column.js';
import { countByKey } from './sealed-column.sql.js';

/** How the id of something that is no box begins; that of no key does. */
export const UNKNOWN = '?';

/** How many boxes of a column name a key. */
export interface KeyUse {
  /** `table.column`. */
  readonly column: string;
  /** Empty for boxes that name no key; {@link UNKNOWN} and the first bytes in hexadecimal for what is no box. */
  readonly id: string;
  readonly boxes: number;
}

/** Counts the boxes of every column by the key that they name. Goes through every tenant with such rows. */
export async function countKeyUse(database: Database, columns: readonly SealedColumn[]): Promise<KeyUse[]> {
  const uses: KeyUse[] = [];
  for (const column of columns) {
    const byId = new Map<string, number>();
    for await (const rows of accessesTo(database, column)) {
      const counts = await rows.run((tx) => tx.query<{ id: string; boxes: number }>(countByKey(column)));
      for (const { id, boxes } of counts) byId.set(id, (byId.get(id) ?? 0) + boxes);
    }
    uses.push(...[...byId].sort().map(([id, boxes]) => ({ column: nameOf(column), id, boxes })));
  }
  return uses;
}

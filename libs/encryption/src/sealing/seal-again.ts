import type { Database } from '@crm/database';
import type { EncryptionKeys } from '../encryption-keys.js';
import { headOf, SecretBox } from '../secret-box.js';
import {
  accessesTo,
  boxesOfOtherKeys,
  countByKey,
  nameOf,
  type RowAccess,
  replaceBox,
  type SealedColumn,
  someBoxes,
} from './sealed-column.js';

/** How the id of something that is no box begins; that of no key does. */
export const UNKNOWN = '?';

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

/** So many boxes of a column are tried, one of which has to open: a single one may be damaged. */
const TRIED_BOXES = 10;
const ASKED_TENANTS = 50;

/** @returns whether the column has boxes, and none of those that were tried opens */
export async function isForeign(database: Database, box: SecretBox, column: SealedColumn): Promise<boolean> {
  let tried = 0;
  let asked = 0;
  for await (const { tenantId, run } of accessesTo(database, column)) {
    const found = await run((tx) => tx.query<{ key: string; box: Buffer }>(someBoxes(column), [TRIED_BOXES - tried]));
    for (const stored of found) {
      if (opens(box, stored.box, column.context({ key: stored.key, tenantId }))) return false;
    }
    tried += found.length;
    asked += 1;
    if (tried >= TRIED_BOXES || asked >= ASKED_TENANTS) break;
  }
  return tried > 0;
}

function opens(box: SecretBox, stored: Buffer, context: string): boolean {
  try {
    box.open(stored, context);
    return true;
  } catch {
    // Why does not matter here: anyone who needs the secret is told.
    return false;
  }
}

/** Rows that one transaction seals again: it holds their locks for some milliseconds. */
const ROWS_AT_A_TIME = 200;

/** What became of the boxes of a column that other keys than the current one had sealed. */
export interface SealedAgain {
  readonly column: string;
  sealed: number;
  /** Boxes that the service replaced meanwhile: it sealed them with its own current key. */
  changed: number;
  /** Rows whose box does not open, and why; it stays as it is. */
  readonly unreadable: { readonly tenantId: string; readonly key: string; readonly reason: string }[];
}

interface Box {
  readonly key: string;
  readonly box: Buffer;
}

/** Boxes of the current key are passed over, so an interrupted run goes on; one that the service changes is left to it. */
export async function sealAgain(database: Database, keys: EncryptionKeys, column: SealedColumn): Promise<SealedAgain> {
  const outcome: SealedAgain = { column: nameOf(column), sealed: 0, changed: 0, unreadable: [] };
  const work = { box: new SecretBox(keys), head: headOf(keys.current.id), column, outcome };
  for await (const rows of accessesTo(database, column)) {
    let last: string | null = null;
    do last = await sealBatch(work, rows, last);
    while (last !== null);
  }
  return outcome;
}

interface Work {
  readonly box: SecretBox;
  readonly head: Buffer;
  readonly column: SealedColumn;
  readonly outcome: SealedAgain;
}

/** @returns the key of the last row of a full batch, null when there are no more */
function sealBatch(work: Work, { tenantId, run }: RowAccess, after: string | null): Promise<string | null> {
  const { column, head } = work;
  return run(async (tx) => {
    const found = await tx.query<Box>(boxesOfOtherKeys(column), [head, after, ROWS_AT_A_TIME]);
    const replacements = found.flatMap(({ key, box }) => {
      const replacement = sealedAnew(work, { key, tenantId }, box);
      return replacement ? [tx.query(replaceBox(column), [key, box, replacement])] : [];
    });
    // They leave together; one that fails is the failure of the transaction.
    for (const replaced of await Promise.all(replacements)) {
      if (replaced.length === 1) work.outcome.sealed += 1;
      else work.outcome.changed += 1;
    }
    return found.length === ROWS_AT_A_TIME ? (found.at(-1)?.key ?? null) : null;
  });
}

/** @returns undefined when the box does not open; that is noted */
function sealedAnew(
  { box, column, outcome }: Work,
  row: { readonly key: string; readonly tenantId: string },
  stored: Buffer,
): Buffer | undefined {
  const context = column.context(row);
  try {
    return box.seal(box.open(stored, context), context);
  } catch (error) {
    outcome.unreadable.push({ ...row, reason: error instanceof Error ? error.message : String(error) });
    return undefined;
  }
}

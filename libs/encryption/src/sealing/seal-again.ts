import type { Database } from '@crm/database';
import { headOf } from '../box-format.js';
import type { EncryptionKeys } from '../encryption-keys.js';
import { SecretBox } from '../secret-box.js';
import { accessesTo, type RowAccess } from './rows.js';
import { nameOf, type SealedColumn } from './sealed-column.js';
import { boxesOfOtherKeys, replaceBox } from './sealed-column.sql.js';

/** Rows that one transaction seals again: it holds their locks for some milliseconds. */
const ROWS_AT_A_TIME = 200;

/** What became of the boxes of a column that other keys than the current one had sealed. */
export interface SealedAgain {
  /** `table.column`. */
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

/**
 * Seals the boxes of a column with the current key. Boxes that have it already are passed over, so a run that was interrupted
 * goes on where it was, and two at once do no harm. The service may run: a box that it changes meanwhile is left to it.
 */
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
  const place = column.place(row);
  try {
    return box.seal(box.open(stored, place), place);
  } catch (error) {
    outcome.unreadable.push({ ...row, reason: error instanceof Error ? error.message : String(error) });
    return undefined;
  }
}

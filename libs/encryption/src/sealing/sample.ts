import type { Database } from '@crm/database';
import type { SecretBox } from '../secret-box.js';
import { accessesTo } from './rows.js';
import type { SealedColumn } from './sealed-column.js';
import { someBoxes } from './sealed-column.sql.js';

/** So many boxes of a column are tried, one of which has to open: a single one may be damaged. */
const TRIED_BOXES = 10;
/** Tenants that are asked for them. */
const ASKED_TENANTS = 50;

/** @returns whether the column has boxes, and none of those that were tried opens */
export async function isForeign(database: Database, box: SecretBox, column: SealedColumn): Promise<boolean> {
  let tried = 0;
  let asked = 0;
  for await (const { tenantId, run } of accessesTo(database, column)) {
    const found = await run((tx) => tx.query<{ key: string; box: Buffer }>(someBoxes(column), [TRIED_BOXES - tried]));
    for (const stored of found) {
      if (opens(box, stored.box, column.place({ key: stored.key, tenantId }))) return false;
    }
    tried += found.length;
    asked += 1;
    if (tried >= TRIED_BOXES || asked >= ASKED_TENANTS) break;
  }
  return tried > 0;
}

function opens(box: SecretBox, stored: Buffer, place: string): boolean {
  try {
    box.open(stored, place);
    return true;
  } catch {
    // Why does not matter here: whoever needs the secret is told.
    return false;
  }
}

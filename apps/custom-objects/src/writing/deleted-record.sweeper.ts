import { Database, deleteOldest, Sweeper } from '@crm/database';
import { BinRepository } from './bin.repository.js';

const EVERY_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Records that one transaction removes, and those that were deleted together with the last of them. */
const BATCH = 1_000;

/** Whose deletions have cleared something silently. $1: up to when, $2: limit. */
const FIND_UNTOLD = `
  SELECT DISTINCT tenant_id AS "tenantId", target_id AS "targetId" FROM cleared_reference
   WHERE cleared_at <= $1::timestamptz AND version IS NOT NULL LIMIT $2`;

/** The columns by which a record is found. */
const RECORD = { object_id: 'object_id', id: 'record_id' };

/** By table, how many records a row of it is: what goes is subtracted from what each object of each tenant has. */
const COUNTED: ReadonlyMap<string, string> = new Map([
  ['custom_record', 'count(*)'],
  ['record_note', '0'],
]);

/** By what the deletion returns: another process may delete the same. */
function countPurged(deletion: string, from: string): string {
  const records = COUNTED.get(from);
  if (records === undefined) return deletion;
  return `
  WITH gone AS (${deletion} RETURNING other.tenant_id, other.object_id, other.bytes)
  INSERT INTO storage_use (tenant_id, object_id, slot, records, bytes)
  SELECT tenant_id, object_id, object_id, -${records}, -sum(bytes) FROM gone GROUP BY tenant_id, object_id
      ON CONFLICT (tenant_id, object_id, slot)
      DO UPDATE SET records = storage_use.records + excluded.records, bytes = storage_use.bytes + excluded.bytes`;
}

/**
 * Removes records for good that were deleted many days ago, with their history and notes; the references that their deletions
 * cleared; and what is too old of all histories.
 */
export class DeletedRecordSweeper extends Sweeper {
  private readonly bin = new BinRepository();

  constructor(
    private readonly database: Database,
    private readonly keptDays: number,
    private readonly historyKeptDays: number,
  ) {
    super({ everyMs: EVERY_MS });
  }

  async sweep(stopping?: AbortSignal): Promise<void> {
    const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
    // The same for both: nothing is forgotten before it is told.
    const purged = ago(this.keptDays);
    await this.tellCleared(purged, stopping);
    const upTo = `'${purged}'::timestamptz`;
    const along = ['record_history', 'record_note'].map((table) => ({ table, on: RECORD }));
    const expired = [
      { table: 'custom_record', column: 'deleted_at', upTo, counted: countPurged, along },
      { table: 'cleared_reference', column: 'cleared_at', upTo },
      { table: 'record_history', column: 'at', upTo: `'${ago(this.historyKeptDays)}'::timestamptz` },
    ];
    for (const expiry of expired) {
      const removeSome = () => this.database.crossTenant((tx) => deleteOldest(tx, expiry, BATCH));
      while (!stopping?.aborted && (await removeSome()));
    }
  }

  /** Into histories, now that nobody brings it back. */
  private async tellCleared(upTo: string, stopping?: AbortSignal): Promise<void> {
    type Untold = { tenantId: string; targetId: string };
    const find = () => this.database.crossTenant((tx) => tx.query<Untold>(FIND_UNTOLD, [upTo, BATCH]));
    for (let untold = await find(); untold.length > 0 && !stopping?.aborted; untold = await find()) {
      for (const { tenantId, targetId } of untold) {
        await this.database.transaction(tenantId, (tx) => this.bin.tellCleared(tx, [targetId]));
      }
    }
  }
}

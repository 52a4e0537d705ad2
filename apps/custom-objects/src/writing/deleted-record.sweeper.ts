import { Database, deleteOldest, Sweeper } from '@crm/database';

const EVERY_MS = 3_600_000;
/** Records that one transaction removes, and those that were deleted together with the last of them. */
const BATCH = 1_000;

/** Of a record, by its own columns. */
const RECORD = { object_id: 'object_id', id: 'record_id' };

/**
 * Removes records for good that were deleted many days ago, with their history and notes; the references that their deletions
 * cleared; and what is too old of all histories.
 */
export class DeletedRecordSweeper extends Sweeper {
  constructor(
    private readonly database: Database,
    private readonly keptDays: number,
    private readonly historyKeptDays: number,
  ) {
    super({ everyMs: EVERY_MS });
  }

  async sweep(stopping?: AbortSignal): Promise<void> {
    const ago = (days: number) => `now() - make_interval(days => ${days})`;
    const upTo = ago(this.keptDays);
    const along = ['record_history', 'record_note'].map((table) => ({ table, on: RECORD }));
    const expired = [
      { table: 'custom_record', column: 'deleted_at', upTo, along },
      { table: 'cleared_reference', column: 'cleared_at', upTo },
      { table: 'record_history', column: 'at', upTo: ago(this.historyKeptDays) },
    ];
    for (const expiry of expired) {
      const removeSome = () => this.database.crossTenant((tx) => deleteOldest(tx, expiry, BATCH));
      while (!stopping?.aborted && (await removeSome()));
    }
  }
}

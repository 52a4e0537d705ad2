import { Database, deleteOldest, Sweeper } from '@crm/database';

const EVERY_MS = 3_600_000;
/** Records that one transaction removes, and those that were deleted together with the last of them. */
const BATCH = 1_000;

/** Removes records for good that were deleted many days ago; with the references that their deletions cleared. */
export class DeletedRecordSweeper extends Sweeper {
  constructor(
    private readonly database: Database,
    private readonly keptDays: number,
  ) {
    super({ everyMs: EVERY_MS });
  }

  async sweep(stopping?: AbortSignal): Promise<void> {
    const upTo = `now() - make_interval(days => ${this.keptDays})`;
    const expired = [
      { table: 'custom_record', column: 'deleted_at', upTo },
      { table: 'cleared_reference', column: 'cleared_at', upTo },
    ];
    for (const expiry of expired) {
      const removeSome = () => this.database.crossTenant((tx) => deleteOldest(tx, expiry, BATCH));
      while (!stopping?.aborted && (await removeSome()));
    }
  }
}

import { Database, Sweeper } from '@crm/database';

/** When the last of those was deleted that were deleted first and long enough ago. $1: days, $2: most of them. */
const LAST_TO_PURGE = `
  SELECT max(deleted_at)::text AS last
    FROM (SELECT deleted_at FROM custom_record WHERE deleted_at < now() - make_interval(days => $1::integer)
           ORDER BY deleted_at LIMIT $2) AS oldest`;

/** Not by a limit, which a statement over several servers cannot have. $1: time. */
const PURGE = 'DELETE FROM custom_record WHERE deleted_at <= $1::timestamptz';

const EVERY_MS = 3_600_000;
/** Records that one transaction removes, and those that were deleted together with the last of them. */
const BATCH = 1_000;

/** Removes records for good that were deleted many days ago; what belonged to them ended when they were deleted. */
export class DeletedRecordSweeper extends Sweeper {
  constructor(
    private readonly database: Database,
    private readonly keptDays: number,
  ) {
    super({ everyMs: EVERY_MS });
  }

  async sweep(stopping?: AbortSignal): Promise<void> {
    while (!stopping?.aborted && (await this.purge()));
  }

  /** @returns whether there may be more */
  private purge(): Promise<boolean> {
    return this.database.crossTenant(async (tx) => {
      const [row] = await tx.query<{ last: string | null }>(LAST_TO_PURGE, [this.keptDays, BATCH]);
      if (!row?.last) return false;
      await tx.query(PURGE, [row.last]);
      return true;
    });
  }
}

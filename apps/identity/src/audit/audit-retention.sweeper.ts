import { Database, Sweeper } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';

/** Removes entries past their retention; the table's policy admits none under thirty days. $1: days kept, $2: at most. */
export const DELETE_OLD_AUDIT_ENTRIES = `
  DELETE FROM audit_entry WHERE (tenant_id, id) IN (
    SELECT tenant_id, id FROM audit_entry WHERE at < now() - make_interval(days => $1::integer) ORDER BY at LIMIT $2)
  RETURNING 1`;

const EVERY_MS = 3_600_000;

/** Rows that one transaction deletes. */
const BATCH = 1_000;

/** Removes entries of the audit trail whose retention is over, at start and every hour. */
@Injectable()
export class AuditRetentionSweeper extends Sweeper {
  constructor(
    private readonly database: Database,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {
    super({ everyMs: EVERY_MS, atStart: true });
  }

  async sweep(stopping?: AbortSignal): Promise<void> {
    let deleted = BATCH;
    while (deleted === BATCH && !stopping?.aborted) {
      const parameters = [this.config.auditRetentionDays, BATCH];
      const rows = await this.database.crossTenant((tx) => tx.query(DELETE_OLD_AUDIT_ENTRIES, parameters));
      deleted = rows.length;
    }
  }
}

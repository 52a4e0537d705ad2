import { Database, Sweeper } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../../config.js';
import { DELETE_OLD_AUDIT_ENTRIES } from './audit-trail.sql.js';

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

import { Database } from '@crm/database';
import { Sweeper } from '@crm/worker';
import { Injectable } from '@nestjs/common';

const EVERY_MS = 10 * 60_000;

/** Rows of global tables that nobody can use any more. */
const EXPIRED = [
  'DELETE FROM refresh_token WHERE expires_at < now()',
  'DELETE FROM operator_session WHERE expires_at < now()',
  'DELETE FROM revocation_cutoff WHERE expires_at < now()',
  // A retired key is kept for a month, so that an old token in a report can still be told from a forged one.
  `DELETE FROM signing_key WHERE retires_at < now() - interval '30 days'`,
];

/** Deletes what has expired, at start and every ten minutes. */
@Injectable()
export class ExpiredRowSweeper extends Sweeper {
  constructor(private readonly database: Database) {
    super({ everyMs: EVERY_MS, atStart: true });
  }

  async sweep(): Promise<void> {
    await this.database.crossTenant(async (tx) => {
      for (const statement of EXPIRED) await tx.query(statement);
    });
  }
}

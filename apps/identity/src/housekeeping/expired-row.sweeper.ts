import { Database, Sweeper } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { ExpiredRowRepository } from './expired-row.repository.js';

const EVERY_MS = 10 * 60_000;

/** Deletes what has expired, at start and every ten minutes. */
@Injectable()
export class ExpiredRowSweeper extends Sweeper {
  constructor(
    private readonly database: Database,
    private readonly expiredRows: ExpiredRowRepository,
  ) {
    super({ everyMs: EVERY_MS, atStart: true });
  }

  async sweep(): Promise<void> {
    await this.database.crossTenant((tx) => this.expiredRows.delete(tx));
  }
}

import { Database, Sweeper } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { ExpiredRowRepository } from './expired-row.repository.js';

@Injectable()
export class ExpiredRowSweeper extends Sweeper {
  constructor(
    private readonly database: Database,
    private readonly expiredRows: ExpiredRowRepository,
  ) {
    super({ everyMs: 10 * 60_000, atStart: true });
  }

  async sweep(): Promise<void> {
    await this.database.crossTenant((tx) => this.expiredRows.delete(tx));
  }
}

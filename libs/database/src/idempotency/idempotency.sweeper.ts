import { Injectable } from '@nestjs/common';
import { Database } from '../database.js';
import { Sweeper } from '../worker/sweeper.js';
import { IdempotencyRepository } from './idempotency.repository.js';

const SWEEP_INTERVAL_MS = 3_600_000;

/** Removes expired idempotency rows once an hour. Several replicas doing it at once only find less to remove. */
@Injectable()
export class IdempotencySweeper extends Sweeper {
  constructor(
    private readonly database: Database,
    private readonly repository: IdempotencyRepository,
  ) {
    super({ everyMs: SWEEP_INTERVAL_MS });
  }

  async sweep(): Promise<void> {
    await this.database.crossTenant((tx) => this.repository.removeExpired(tx));
  }
}

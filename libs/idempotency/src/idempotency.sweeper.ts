import { Database } from '@crm/database';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { IdempotencyRepository } from './idempotency.repository.js';

const SWEEP_EVERY_MS = 3_600_000;

/** Removes expired idempotency rows once an hour. Several replicas doing it at once only find less to remove. */
@Injectable()
export class IdempotencySweeper implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(IdempotencySweeper.name);
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly database: Database,
    private readonly repository: IdempotencyRepository,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.sweep(), SWEEP_EVERY_MS);
    this.timer.unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Removes what is over. A failure is left to the next sweep. */
  async sweep(): Promise<void> {
    try {
      await this.database.crossTenant((tx) => this.repository.removeExpired(tx));
    } catch (error) {
      this.logger.warn({ err: error }, 'Expired idempotency rows were not removed; the next sweep tries again');
    }
  }
}

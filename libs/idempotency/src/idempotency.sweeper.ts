import { Database } from '@crm/database';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { IdempotencyRepository } from './idempotency.repository.js';

const SWEEP_INTERVAL_MS = 3_600_000;

/** Removes expired idempotency rows once an hour. Several replicas doing it at once only find less to remove. */
@Injectable()
export class IdempotencySweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(IdempotencySweeper.name);
  private timer?: NodeJS.Timeout;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly repository: IdempotencyRepository,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.running = this.sweep();
    }, SWEEP_INTERVAL_MS);
    this.timer.unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  /** Removes expired rows. After a failure the next sweep tries again. */
  async sweep(): Promise<void> {
    try {
      await this.database.crossTenant((tx) => this.repository.removeExpired(tx));
    } catch (error) {
      this.logger.warn({ err: error }, 'Expired idempotency rows were not removed; the next sweep tries again');
    }
  }
}

import { Database } from '@crm/database';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DeliverySignal } from './delivery-signal.js';
import { SubscriptionQueueRepository } from './subscription-queue.repository.js';

/** Milliseconds between two sweeps. */
const SWEEP_MS = 600_000;

/**
 * Finds waiting deliveries that no queue tells of, or tells of too late: those that a version without queues wrote, before an upgrade or
 * beside it. At the start, and again and again because such a process may outlive the start of this one.
 */
@Injectable()
export class QueueSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(QueueSweeper.name);
  private timer: NodeJS.Timeout | undefined;
  private sweep: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly queues: SubscriptionQueueRepository,
    private readonly signal: DeliverySignal,
  ) {}

  onApplicationBootstrap(): void {
    this.sweep = this.once();
    this.timer = setInterval(() => {
      this.sweep = this.once();
    }, SWEEP_MS);
    this.timer.unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.sweep;
  }

  private async once(): Promise<void> {
    try {
      const repaired = await this.database.crossTenant((tx) => this.queues.repair(tx));
      if (repaired === 0) return;
      this.logger.debug(`Queues of ${repaired} subscriptions were missing or not due in time`);
      this.signal.notify();
    } catch (error) {
      this.logger.warn(`The sweep failed, it is done again: ${error instanceof Error ? error.message : error}`);
    }
  }
}

import { Database } from '@crm/database';
import { Sweeper } from '@crm/worker';
import { Injectable } from '@nestjs/common';
import { DeliverySignal } from './delivery.signal.js';
import { SubscriptionQueueRepository } from './subscription-queue.repository.js';

const EVERY_MS = 600_000;

/**
 * Finds waiting deliveries that no queue tells of, or tells of too late: those that a version without queues wrote, before
 * an upgrade or beside it. At the start, and again and again because such a process may outlive the start of this one.
 */
@Injectable()
export class SubscriptionQueueSweeper extends Sweeper {
  constructor(
    private readonly database: Database,
    private readonly queues: SubscriptionQueueRepository,
    private readonly signal: DeliverySignal,
  ) {
    super({ everyMs: EVERY_MS, atStart: true });
  }

  async sweep(): Promise<void> {
    const repaired = await this.database.crossTenant((tx) => this.queues.repair(tx));
    if (repaired === 0) return;
    this.logger.debug(`Queues of ${repaired} subscriptions were missing or not due in time`);
    this.signal.signal();
  }
}

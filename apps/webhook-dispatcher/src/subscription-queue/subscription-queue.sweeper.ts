import { Database, Sweeper } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { SubscriptionQueueRepository } from './subscription-queue.repository.js';
import { SubscriptionQueueSignal } from './subscription-queue.signal.js';

const EVERY_MS = 600_000;

/**
 * Repairs the queues of waiting deliveries that have no queue, or one that is due too late. There are none as long as every
 * statement keeps its promise; one that did not, or a hand in the database, must not leave a delivery waiting for ever.
 */
@Injectable()
export class SubscriptionQueueSweeper extends Sweeper {
  constructor(
    private readonly database: Database,
    private readonly queues: SubscriptionQueueRepository,
    private readonly signal: SubscriptionQueueSignal,
  ) {
    super({ everyMs: EVERY_MS, atStart: true });
  }

  async sweep(): Promise<void> {
    const repaired = await this.database.crossTenant((tx) => this.queues.repair(tx));
    if (repaired === 0) return;
    this.logger.debug(`The queues of ${repaired} subscriptions were missing or due too late and are repaired`);
    this.signal.signal();
  }
}

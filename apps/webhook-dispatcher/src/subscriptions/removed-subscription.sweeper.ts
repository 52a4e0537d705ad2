import { Database, Sweeper } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { SubscriptionRepository } from './subscription.repository.js';

const EVERY_MS = 600_000;
/** 30 days, like the ledger: an uninstall publishes its event when all parts are removed, which waits for every service. */
const WAIT_MS = 30 * 24 * 3_600_000;

/** Deletes subscriptions of removed apps once the app has been told, or can no longer be. */
@Injectable()
export class RemovedSubscriptionSweeper extends Sweeper {
  constructor(
    private readonly database: Database,
    private readonly subscriptions: SubscriptionRepository,
  ) {
    super({ everyMs: EVERY_MS, atStart: true });
  }

  async sweep(): Promise<void> {
    const purged = await this.database.crossTenant((tx) => this.subscriptions.purgeRemoved(tx, WAIT_MS));
    if (purged > 0) this.logger.debug(`${purged} subscriptions of removed apps are deleted`);
  }
}

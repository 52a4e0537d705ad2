import { Database, Sweeper } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { RemovedSubscriptionRepository } from './removed-subscription.repository.js';

const EVERY_MS = 600_000;
/**
 * Milliseconds after which an event is no longer waited for: 30 days, as long as its delivery would be in the ledger. An
 * uninstall publishes its event when all parts of the app are removed, which takes as long as a service is down.
 */
const WAIT_MS = 30 * 24 * 3_600_000;

/** Deletes what is left of subscriptions of removed apps once the app knows, or can no longer be told. */
@Injectable()
export class RemovedSubscriptionSweeper extends Sweeper {
  constructor(
    private readonly database: Database,
    private readonly removed: RemovedSubscriptionRepository,
  ) {
    super({ everyMs: EVERY_MS, atStart: true });
  }

  async sweep(): Promise<void> {
    const purged = await this.database.crossTenant((tx) => this.removed.purge(tx, WAIT_MS));
    if (purged > 0) this.logger.debug(`${purged} subscriptions of removed apps are deleted`);
  }
}

import { Database } from '@crm/database';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { type HoldKey, HoldRepository } from '../queue/hold.repository.js';
import { ReceiverDirectory } from '../receivers/receiver-directory.js';

/** Deliveries that one transaction holds. */
const DELIVERIES_TOGETHER = 1_000;

/**
 * Holds what is due of a subscription that was paused or disabled, many deliveries at a time: a backlog is then not claimed
 * delivery by delivery. What a process that dies leaves behind is found by the next claim.
 */
@Injectable()
export class BacklogHolder implements BeforeApplicationShutdown {
  private readonly logger = new Logger('BacklogHolder');
  private readonly holding = new Map<string, Promise<void>>();
  private isStopping = false;

  constructor(
    private readonly database: Database,
    private readonly holds: HoldRepository,
    private readonly directory: ReceiverDirectory,
  ) {}

  /** Does nothing while the deliveries of the subscription are being held. Never rejects. */
  begin(hold: HoldKey): void {
    const { tenantId, subscriptionId } = hold;
    if (this.isStopping || this.holding.has(subscriptionId)) return;
    const held = this.holdDue(hold)
      .catch((error: unknown) => {
        const msg = 'What is due of an inactive subscription could not be held; the next claim of it tries again';
        this.logger.warn({ msg, tenantId, subscriptionId, err: error });
      })
      .finally(() => this.holding.delete(subscriptionId));
    this.holding.set(subscriptionId, held);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await Promise.all(this.holding.values());
  }

  private async holdDue(hold: HoldKey): Promise<void> {
    let count = DELIVERIES_TOGETHER;
    while (count === DELIVERIES_TOGETHER && !this.isStopping && (await this.isInactive(hold))) {
      count = await this.database.crossTenant((tx) => {
        this.holds.lock(tx, [hold]);
        return this.holds.holdDue(tx, hold, DELIVERIES_TOGETHER);
      });
    }
  }

  private async isInactive({ tenantId, subscriptionId }: HoldKey): Promise<boolean> {
    const receivers = await this.directory.of(tenantId);
    return receivers.get(subscriptionId)?.enabled === false;
  }
}

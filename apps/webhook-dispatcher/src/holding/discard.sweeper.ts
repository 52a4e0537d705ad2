import { Database, Sweeper } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { HoldingRepository, type HoldKey } from './holding.repository.js';

const EVERY_MS = 30_000;
/** Holds that are listed at a time. */
const PAGE = 100;
/** Deliveries that one transaction ends. */
const DELIVERIES_TOGETHER = 1_000;

/** Ends what deleted subscriptions held: the ledger then says that they were deleted. */
@Injectable()
export class DiscardSweeper extends Sweeper {
  constructor(
    private readonly database: Database,
    private readonly holds: HoldingRepository,
  ) {
    super({ everyMs: EVERY_MS, atStart: true });
  }

  async sweep(stopping: AbortSignal): Promise<void> {
    const discarded = await this.database.crossTenant((tx) => this.holds.listDiscarded(tx, PAGE));
    for (const hold of discarded) await this.discard(hold, stopping);
  }

  private async discard(hold: HoldKey, stopping: AbortSignal): Promise<void> {
    let ended = DELIVERIES_TOGETHER;
    while (ended === DELIVERIES_TOGETHER && !stopping.aborted) {
      ended = await this.database.crossTenant(async (tx) => {
        this.holds.lock(tx, [hold]);
        const count = await this.holds.discardSome(tx, hold, DELIVERIES_TOGETHER);
        if (count < DELIVERIES_TOGETHER) this.holds.delete(tx, hold);
        return count;
      });
    }
  }
}

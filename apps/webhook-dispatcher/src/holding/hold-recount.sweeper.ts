import { Database, NO_TENANT, Sweeper } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { HoldingRepository, type HoldKey } from './holding.repository.js';

const EVERY_MS = 3_600_000;
/** Holds that are listed at a time. */
const PAGE = 500;

/** Counts again what is held: what retention drops from the ledger is not counted when it goes. */
@Injectable()
export class HoldRecountSweeper extends Sweeper {
  constructor(
    private readonly database: Database,
    private readonly holds: HoldingRepository,
  ) {
    super({ everyMs: EVERY_MS });
  }

  async sweep(stopping: AbortSignal): Promise<void> {
    let last: HoldKey = { tenantId: NO_TENANT, subscriptionId: NO_TENANT };
    while (!stopping.aborted) {
      const page = await this.database.crossTenant((tx) => this.holds.listCounting(tx, last, PAGE));
      for (const hold of page) if (!stopping.aborted) await this.recount(hold);
      const end = page.at(-1);
      if (!end || page.length < PAGE) return;
      last = end;
    }
  }

  /** Each in a transaction of its own: events of the subscription wait for it. */
  private async recount(hold: HoldKey): Promise<void> {
    await this.database.crossTenant(async (tx) => {
      this.holds.lock(tx, [hold]);
      this.holds.recount(tx, [hold]);
    });
  }
}

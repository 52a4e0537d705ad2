import { Database, NO_TENANT, Sweeper } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { DeliveryOrderRepository } from './delivery-order.repository.js';
import { HoldRepository } from './hold.repository.js';
import { DeliveryOrderSignal, SubscriptionQueueSignal } from './queue-signals.js';
import { type SubscriptionKey, SubscriptionQueueRepository } from './subscription-queue.repository.js';

const REPAIR_EVERY_MS = 600_000;

/** Repairs queues that are missing or due too late. There are none unless a statement or a person at the database erred. */
@Injectable()
export class SubscriptionQueueSweeper extends Sweeper {
  constructor(
    private readonly queues: SubscriptionQueueRepository,
    private readonly signal: SubscriptionQueueSignal,
  ) {
    super({ everyMs: REPAIR_EVERY_MS, atStart: true });
  }

  async sweep(): Promise<void> {
    const repaired = await this.queues.repair();
    if (repaired === 0) return;
    this.logger.debug(`The queues of ${repaired} subscriptions were missing or due too late and are repaired`);
    this.signal.signal();
  }
}

/** Repairs partitions whose head is no longer due, so that an error cannot block the deliveries of a record for ever. */
@Injectable()
export class DeliveryOrderSweeper extends Sweeper {
  constructor(
    private readonly order: DeliveryOrderRepository,
    private readonly signal: DeliveryOrderSignal,
  ) {
    super({ everyMs: REPAIR_EVERY_MS, atStart: true });
  }

  async sweep(): Promise<void> {
    const repaired = await this.order.repair();
    if (repaired === 0) return;
    this.logger.warn(`${repaired} deliveries held up those behind them without being due; these go on`);
    this.signal.signal();
  }
}

const DISCARD_EVERY_MS = 30_000;
const DISCARDED_HOLDS_PER_SWEEP = 100;
const DELIVERIES_PER_TRANSACTION = 1_000;

@Injectable()
export class DiscardedHoldSweeper extends Sweeper {
  constructor(
    private readonly database: Database,
    private readonly holds: HoldRepository,
  ) {
    super({ everyMs: DISCARD_EVERY_MS, atStart: true });
  }

  async sweep(stopping: AbortSignal): Promise<void> {
    const discarded = await this.database.crossTenant((tx) => this.holds.listDiscarded(tx, DISCARDED_HOLDS_PER_SWEEP));
    for (const hold of discarded) await this.discard(hold, stopping);
  }

  private async discard(hold: SubscriptionKey, stopping: AbortSignal): Promise<void> {
    let ended = DELIVERIES_PER_TRANSACTION;
    while (ended === DELIVERIES_PER_TRANSACTION && !stopping.aborted) {
      ended = await this.database.crossTenant(async (tx) => {
        this.holds.lock(tx, hold);
        const count = await this.holds.discardSome(tx, hold, DELIVERIES_PER_TRANSACTION);
        if (count < DELIVERIES_PER_TRANSACTION) this.holds.delete(tx, hold);
        return count;
      });
    }
  }
}

const RECOUNT_EVERY_MS = 3_600_000;
const COUNTED_HOLDS_PER_PAGE = 500;

/** Counts held deliveries again, because retention drops rows of the ledger without counting them. */
@Injectable()
export class HoldRecountSweeper extends Sweeper {
  constructor(
    private readonly database: Database,
    private readonly holds: HoldRepository,
  ) {
    super({ everyMs: RECOUNT_EVERY_MS });
  }

  async sweep(stopping: AbortSignal): Promise<void> {
    let last: SubscriptionKey = { tenantId: NO_TENANT, subscriptionId: NO_TENANT };
    while (!stopping.aborted) {
      const page = await this.database.crossTenant((tx) => this.holds.listCounting(tx, last, COUNTED_HOLDS_PER_PAGE));
      for (const hold of page) if (!stopping.aborted) await this.recount(hold);
      const end = page.at(-1);
      if (!end || page.length < COUNTED_HOLDS_PER_PAGE) return;
      last = end;
    }
  }

  /** One transaction each, because events of the subscription wait for the lock. */
  private async recount(hold: SubscriptionKey): Promise<void> {
    await this.database.crossTenant(async (tx) => {
      this.holds.lock(tx, hold);
      this.holds.recount(tx, hold);
    });
  }
}

import type { NarrowTransaction, TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { RemovedSubscription } from './removed-subscription.entity.js';
import { LIMIT_REMOVED, PURGE_REMOVED } from './removed-subscription.sql.js';

export type NewRemovedSubscription = Omit<RemovedSubscription, 'tenantId' | 'removedAt'>;

@Injectable()
export class RemovedSubscriptionRepository {
  /** @param most how many the tenant then has at most; those that were removed first go */
  async insert(tx: TenantTransaction, removed: readonly NewRemovedSubscription[], most: number): Promise<void> {
    await tx.repository(RemovedSubscription).insert(removed.map((one) => ({ ...one })));
    await tx.query(LIMIT_REMOVED, [tx.tenantId, most]);
  }

  /** The number of a tenant's removed subscriptions is bounded. */
  async list(tx: TenantTransaction): Promise<RemovedSubscription[]> {
    return tx.repository(RemovedSubscription).findBy({ tenantId: tx.tenantId });
  }

  /**
   * Deletes those of all tenants whose delivery of the event has ended, or that were removed so many milliseconds ago.
   * @returns how many there were
   */
  async purge(tx: NarrowTransaction, waitMs: number): Promise<number> {
    return (await tx.query(PURGE_REMOVED, [waitMs])).length;
  }
}

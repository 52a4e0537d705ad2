import type { NarrowTransaction, TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { RemovedSubscription } from './removed-subscription.entity.js';

/**
 * Leaves of the removed subscriptions of a tenant so many, those that were removed last. $1: the tenant, $2: how many.
 */
const LIMIT_REMOVED = `
  DELETE FROM removed_subscription
   WHERE tenant_id = $1 AND id IN (SELECT id FROM removed_subscription WHERE tenant_id = $1
                                    ORDER BY removed_at DESC, id DESC OFFSET $2)`;

/**
 * Deletes removed subscriptions of all tenants that have got their event, or have waited too long for it. The bodies of the
 * events have the ids of the installations that they are about; they are looked up, never searched. $1: milliseconds.
 */
const PURGE_REMOVED = `
  DELETE FROM removed_subscription AS removed
   WHERE removed_at < now() - $1 * interval '1 millisecond'
      OR EXISTS (SELECT 1 FROM delivery
                  WHERE delivery.event = 'app.uninstalled' AND delivery.tenant_id = removed.tenant_id
                    AND delivery.subscription_id = removed.id AND delivery.next_attempt_at IS NULL
                    AND strpos((SELECT body FROM event_body
                                 WHERE event_body.tenant_id = delivery.tenant_id AND event_body.id = delivery.event_id),
                               removed.installation_id::text) > 0)
  RETURNING 1`;

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

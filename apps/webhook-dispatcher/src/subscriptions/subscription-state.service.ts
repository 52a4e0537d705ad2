import type { Principal } from '@crm/access';
import { EVENTS } from '@crm/contracts';
import { appendEvent, Database, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { HoldRepository } from '../queue/hold.repository.js';
import { ReceiverChanges } from './receiver-changes.js';
import type { Subscription } from './subscription.entity.js';
import { ACTIVE, refuseUnknownSubscription } from './subscription.js';
import { SubscriptionRepository } from './subscription.repository.js';

/** Pausing, resuming and disabling, for subscriptions of a workspace and of its apps. */
@Injectable()
export class SubscriptionStateService {
  constructor(
    private readonly database: Database,
    private readonly subscriptions: SubscriptionRepository,
    private readonly holds: HoldRepository,
    private readonly changes: ReceiverChanges,
  ) {}

  /**
   * From now on events are held. Changes nothing of a subscription that is paused or disabled already.
   * @throws PlatformError NOT_FOUND
   */
  pause(principal: Principal, id: string): Promise<void> {
    return this.change(principal, id, false);
  }

  /**
   * From now on events are sent; what is held stays held. Changes nothing of a subscription that is active.
   * @throws PlatformError NOT_FOUND
   */
  resume(principal: Principal, id: string): Promise<void> {
    return this.change(principal, id, true);
  }

  /**
   * Opens the hold of a subscription that becomes inactive, in the transaction that stores the change.
   * @param before the subscription, locked
   * @returns the changes to store
   */
  async changeTo(tx: TenantTransaction, before: Subscription, enabled: boolean): Promise<Partial<Subscription>> {
    if (enabled === before.enabled) return {};
    if (enabled) return ACTIVE;
    await this.holds.open(tx, before.id);
    return { enabled: false, disabledReason: null };
  }

  /**
   * Disables a subscription on behalf of the platform, and tells its owner by an event. Leaves one alone that is paused or
   * disabled already: the first reason stays.
   * @param reason shown to administrators
   */
  async disable(tx: TenantTransaction, id: string, reason: string): Promise<void> {
    const subscription = await this.subscriptions.lock(tx, id);
    if (!subscription?.enabled) return;
    const { url, description, events, appKey, createdBy } = subscription;
    await this.subscriptions.update(tx, id, { enabled: false, disabledReason: reason });
    const { held } = await this.holds.open(tx, id);
    const now = new Date();
    await appendEvent(tx, EVENTS['webhook.endpoint_disabled'], {
      subject: id,
      time: now,
      // No other app learns of it.
      appKeys: appKey === null ? [] : [appKey],
      data: {
        subscription: { id, url, description, events, createdBy, ...(appKey === null ? {} : { appKey }) },
        reason,
        disabledAt: now.toISOString(),
        heldDeliveries: held,
      },
    });
  }

  private async change({ tenantId }: Principal, id: string, enabled: boolean): Promise<void> {
    await this.database.transaction(tenantId, async (tx) => {
      const before = (await this.subscriptions.lock(tx, id)) ?? refuseUnknownSubscription();
      const changes = await this.changeTo(tx, before, enabled);
      if (Object.keys(changes).length > 0) await this.subscriptions.update(tx, id, changes);
    });
    await this.changes.announce({ tenantId });
  }
}

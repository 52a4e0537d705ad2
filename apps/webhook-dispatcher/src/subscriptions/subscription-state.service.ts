import type { Principal } from '@crm/access';
import { EVENTS } from '@crm/contracts';
import { appendEvent, Database, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { HoldRepository } from '../queue/hold.repository.js';
import { ReceiverChanges } from './receiver-changes.js';
import type { Subscription } from './subscription.entity.js';
import { ACTIVE, refuseUnknownSubscription } from './subscription.js';
import { SubscriptionRepository } from './subscription.repository.js';

@Injectable()
export class SubscriptionStateService {
  constructor(
    private readonly database: Database,
    private readonly subscriptions: SubscriptionRepository,
    private readonly holds: HoldRepository,
    private readonly changes: ReceiverChanges,
  ) {}

  /** Pauses or resumes; what is held stays held. @throws PlatformError NOT_FOUND */
  async setEnabled({ tenantId }: Principal, id: string, enabled: boolean): Promise<void> {
    await this.database.transaction(tenantId, async (tx) => {
      const before = (await this.subscriptions.lock(tx, id)) ?? refuseUnknownSubscription();
      const changes = await this.changeTo(tx, before, enabled);
      if (Object.keys(changes).length > 0) await this.subscriptions.update(tx, id, changes);
    });
    await this.changes.announce({ tenantId });
  }

  /** Opens the hold of a subscription that becomes inactive, which is locked. @returns the changes to store */
  async changeTo(tx: TenantTransaction, before: Subscription, enabled: boolean): Promise<Partial<Subscription>> {
    if (enabled === before.enabled) return {};
    if (enabled) return ACTIVE;
    await this.holds.open(tx, before.id);
    return { enabled: false, disabledReason: null };
  }

  /** Until the transaction ends. */
  async lock(tx: TenantTransaction, ids: readonly string[]): Promise<void> {
    for (const id of [...ids].sort()) await this.subscriptions.lock(tx, id);
  }

  /** On behalf of the platform, which tells the owner by an event. One that is inactive already keeps its first reason. */
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
}

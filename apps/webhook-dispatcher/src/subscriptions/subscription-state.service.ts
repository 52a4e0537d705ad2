import { EVENTS } from '@crm/contracts';
import { appendEvent, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { HoldRepository } from '../queue/hold.repository.js';
import type { Subscription } from './subscription.entity.js';
import { ACTIVE } from './subscription.js';
import { SubscriptionRepository } from './subscription.repository.js';

@Injectable()
export class SubscriptionStateService {
  constructor(
    private readonly subscriptions: SubscriptionRepository,
    private readonly holds: HoldRepository,
  ) {}

  /** Pauses or resumes one that is locked; what is held stays held. @returns the changes to store */
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
    const { url, description, events, appKey, installationId, createdBy } = subscription;
    await this.subscriptions.update(tx, id, { enabled: false, disabledReason: reason });
    const { held } = await this.holds.open(tx, id);
    const now = new Date();
    await appendEvent(tx, EVENTS['webhook.endpoint_disabled'], {
      subject: id,
      time: now,
      // No other installation learns of it.
      appKeys: appKey === null ? [] : [appKey],
      ...(installationId !== null && { installationId }),
      data: {
        subscription: { id, url, description, events, createdBy, ...(appKey === null ? {} : { appKey }) },
        reason,
        disabledAt: now.toISOString(),
        heldDeliveries: held,
      },
    });
  }
}

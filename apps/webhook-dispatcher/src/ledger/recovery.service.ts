import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, Wake } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { refuseUnknownSubscription, statusOf } from '../subscriptions/subscription.js';
import { SubscriptionRepository } from '../subscriptions/subscription.repository.js';
import { type Recovery, RecoveryRepository, type RecoveryRequest } from './recovery.repository.js';

@Injectable()
export class RecoverySignal extends Wake {}

@Injectable()
export class RecoveryService {
  constructor(
    private readonly database: Database,
    private readonly subscriptions: SubscriptionRepository,
    private readonly recoveries: RecoveryRepository,
    private readonly signal: RecoverySignal,
  ) {}

  /** Returns the one that is running, if there is one. @throws PlatformError NOT_FOUND, or CONFLICT for an inactive subscription */
  async start({ tenantId }: Principal, request: RecoveryRequest): Promise<Recovery> {
    const { subscriptionId } = request;
    return this.database.transaction(tenantId, async (tx) => {
      const subscription = (await this.subscriptions.find(tx, subscriptionId)) ?? refuseUnknownSubscription();
      if (!subscription.enabled) {
        throw new PlatformError('CONFLICT', `The subscription is ${statusOf(subscription)}. Resume it first`);
      }
      const recovery = await this.recoveries.start(tx, request);
      if (recovery === null) return (await this.recoveries.find(tx, subscriptionId)) ?? refuseUnknownSubscription();
      tx.afterCommit(() => this.signal.signal());
      return recovery;
    });
  }

  /** @throws PlatformError NOT_FOUND when the subscription does not exist, or it never had one */
  async get({ tenantId }: Principal, subscriptionId: string): Promise<Recovery> {
    return this.database.transaction(tenantId, async (tx) => {
      const [subscription, recovery] = await Promise.all([
        this.subscriptions.find(tx, subscriptionId),
        this.recoveries.find(tx, subscriptionId),
      ]);
      if (subscription === null) refuseUnknownSubscription();
      if (recovery === null) throw new PlatformError('NOT_FOUND', 'This subscription has no recovery');
      return recovery;
    });
  }
}

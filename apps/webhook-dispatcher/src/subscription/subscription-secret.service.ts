import type { Principal } from '@crm/access';
import { Database } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { ReceiverChanges } from '../receiver-changes/receiver-changes.js';
import {
  type IssuedSecret,
  ROTATION_OVERLAP_MS,
  SigningSecretService,
} from '../signing-secret/signing-secret.service.js';
import { SubscriptionRepository } from './subscription.repository.js';
import { refuseUnknownSubscription } from './unknown-subscription.js';

/** Changes of the secrets of subscriptions that a workspace created. Those of apps sign with the secret of the app. */
@Injectable()
export class SubscriptionSecretService {
  constructor(
    private readonly database: Database,
    private readonly subscriptions: SubscriptionRepository,
    private readonly secrets: SigningSecretService,
    private readonly changes: ReceiverChanges,
  ) {}

  /**
   * Replaces the secret by one of the same kind; the previous secret stays valid for one more day.
   * @returns the new secret, which is never shown again, or the new public key
   * @throws PlatformError NOT_FOUND, also for a subscription of an app
   */
  async rotate({ tenantId }: Principal, id: string): Promise<IssuedSecret['shown']> {
    const shown = await this.database.transaction(tenantId, async (tx) => {
      const subscription = await this.subscriptions.lock(tx, id);
      if (subscription === null || subscription.installationId !== null) refuseUnknownSubscription();
      const kind = subscription.publicKey === null ? 'v1' : 'v1a';
      const { sealed, publicKey, shown } = this.secrets.issue(kind, { subscriptionId: id });
      await this.subscriptions.replaceSecret(tx, id, { sealed, publicKey }, new Date(Date.now() + ROTATION_OVERLAP_MS));
      return shown;
    });
    await this.changes.announce({ tenantId });
    return shown;
  }

  /**
   * Ends the overlap of a rotation now. Does nothing more when there is no previous secret.
   * @throws PlatformError NOT_FOUND, also for a subscription of an app
   */
  async revokePrevious({ tenantId }: Principal, id: string): Promise<void> {
    const isKnown = await this.database.transaction(tenantId, (tx) => this.subscriptions.removePreviousSecret(tx, id));
    if (!isKnown) refuseUnknownSubscription();
    await this.changes.announce({ tenantId });
  }
}

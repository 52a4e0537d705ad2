import type { Principal } from '@crm/access';
import { rpc } from '@crm/contracts';
import { Database } from '@crm/database';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { AppSecretRepository, type SealedSecrets } from './app-secret.repository.js';
import { ReceiverChanges } from './receiver-changes.js';
import { type IssuedSecret, SigningSecretService } from './signature.js';
import { refuseUnknownSubscription } from './subscription.js';
import { SubscriptionRepository } from './subscription.repository.js';

/** One day, for the receiver to change. */
const ROTATION_OVERLAP_MS = 24 * 3600 * 1000;

const previousUntil = () => new Date(Date.now() + ROTATION_OVERLAP_MS);

/** Rotates secrets: of subscriptions that a workspace created, and of apps, each with one secret in all tenants. */
@Injectable()
export class SecretService {
  constructor(
    private readonly database: Database,
    private readonly subscriptions: SubscriptionRepository,
    private readonly appSecrets: AppSecretRepository,
    private readonly secrets: SigningSecretService,
    private readonly changes: ReceiverChanges,
    private readonly rpc: Rpc,
  ) {}

  /** @throws PlatformError NOT_FOUND, also for a subscription of an app */
  async rotate(principal: Principal, id: string): Promise<IssuedSecret['shown']> {
    const { tenantId } = principal;
    await this.record(principal, 'webhook_secret.issued', id);
    const shown = await this.database.transaction(tenantId, async (tx) => {
      const subscription = (await this.subscriptions.lock(tx, id)) ?? refuseUnknownSubscription();
      const kind = subscription.publicKey === null ? 'v1' : 'v1a';
      const { sealed, publicKey, shown } = this.secrets.issue(kind, { subscriptionId: id });
      await this.subscriptions.replaceSecret(tx, id, { sealed, publicKey }, previousUntil());
      return shown;
    });
    await this.changes.announce({ tenantId });
    return shown;
  }

  /** @throws PlatformError NOT_FOUND, also for a subscription of an app */
  async revokePrevious(principal: Principal, id: string): Promise<void> {
    const { tenantId } = principal;
    await this.record(principal, 'webhook_secret.previous_revoked', id);
    const isKnown = await this.database.transaction(tenantId, (tx) => this.subscriptions.removePreviousSecret(tx, id));
    if (!isKnown) refuseUnknownSubscription();
    await this.changes.announce({ tenantId });
  }

  /** To the audit trail, before the transaction of the change. @throws PlatformError NOT_FOUND, also for a subscription of an app */
  private async record(principal: Principal, action: rpc.identity.RecordedAct, id: string): Promise<void> {
    const found = await this.database.transaction(principal.tenantId, (tx) => this.subscriptions.find(tx, id));
    if (found === null || found.installationId !== null) refuseUnknownSubscription();
    await this.rpc.call(rpc.identity.recordAct, { action, subjectId: id }, principal);
  }

  async storeOfApp(appKey: string, secret: string): Promise<void> {
    const sealed = this.secrets.seal(secret, { appKey });
    await this.database.crossTenant((tx) => this.appSecrets.insertIfMissing(tx, appKey, sealed));
  }

  /** @returns whether the app has a secret here, which it has since its first installation */
  async rotateOfApp(appKey: string, secret: string): Promise<boolean> {
    const sealed = this.secrets.seal(secret, { appKey });
    const isRotated = await this.database.crossTenant((tx) =>
      this.appSecrets.replace(tx, appKey, sealed, previousUntil()),
    );
    await this.changes.announce({ appKey });
    return isRotated;
  }

  /** The secrets of an app that are valid now, newest first. */
  listSealedOfApp(appKey: string): Promise<SealedSecrets> {
    return this.database.crossTenant((tx) => this.appSecrets.listLive(tx, appKey, new Date()));
  }

  /** @throws Error when one was sealed for another app or with another key */
  openOfApp(appKey: string, sealed: readonly Buffer[]): string[] {
    return sealed.map((box) => this.secrets.open(box, { appKey }));
  }
}

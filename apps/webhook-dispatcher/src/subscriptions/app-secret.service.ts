import { Database } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { AppSecretRepository } from './app-secret.repository.js';
import { ReceiverChanges } from './receiver-changes.js';
import { ROTATION_OVERLAP_MS, SigningSecretService } from './signing-secret.service.js';

/** Rules of the signing secrets of apps: one for all installations of an app, in every tenant. */
@Injectable()
export class AppSecretService {
  constructor(
    private readonly database: Database,
    private readonly appSecrets: AppSecretRepository,
    private readonly secrets: SigningSecretService,
    private readonly changes: ReceiverChanges,
  ) {}

  /** Stores the secret that came with an installation, unless the app already has one. */
  async storeIfMissing(appKey: string, secret: string): Promise<void> {
    const sealed = this.secrets.seal(secret, { appKey });
    await this.database.crossTenant((tx) => this.appSecrets.insertIfMissing(tx, appKey, sealed));
  }

  /**
   * Replaces the secret of an app; the previous secret stays valid for one more day.
   * @returns whether the app has a secret here, which it has since its first installation
   */
  async rotate(appKey: string, secret: string): Promise<boolean> {
    const sealed = this.secrets.seal(secret, { appKey });
    const previousUntil = new Date(Date.now() + ROTATION_OVERLAP_MS);
    const isRotated = await this.database.crossTenant((tx) =>
      this.appSecrets.replace(tx, appKey, sealed, previousUntil),
    );
    await this.changes.announce({ appKey });
    return isRotated;
  }

  /** Secrets that sign the deliveries of the app now, newest first. */
  async listLive(appKey: string): Promise<string[]> {
    const sealed = await this.database.crossTenant((tx) => this.appSecrets.listLive(tx, appKey, new Date()));
    return sealed.map((box) => this.secrets.open(box, { appKey }));
  }
}

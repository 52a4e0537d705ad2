import { Database } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { AppSecretRepository } from './app-secret.repository.js';
import { ROTATION_OVERLAP_MS, SigningSecrets } from './signing-secrets.js';

/** Rules of apps' signing secrets: one for all installations of an app, in every tenant. */
@Injectable()
export class AppSecretService {
  constructor(
    private readonly database: Database,
    private readonly appSecrets: AppSecretRepository,
    private readonly secrets: SigningSecrets,
  ) {}

  /** Keeps the secret that came with an installation, unless the app has one already. */
  async keep(appKey: string, secret: string): Promise<void> {
    const sealed = this.secrets.seal(secret, { appKey });
    await this.database.crossTenant((tx) => this.appSecrets.insertIfMissing(tx, appKey, sealed));
  }

  /**
   * Gives an app another secret; the one before signs for another day.
   * @returns whether the app has a secret here, which it has since its first installation
   */
  rotate(appKey: string, secret: string): Promise<boolean> {
    const sealed = this.secrets.seal(secret, { appKey });
    const previousUntil = new Date(Date.now() + ROTATION_OVERLAP_MS);
    return this.database.crossTenant((tx) => this.appSecrets.replace(tx, appKey, sealed, previousUntil));
  }

  /** Secrets that sign the app's deliveries now, the newest first. */
  async live(appKey: string): Promise<string[]> {
    const sealed = await this.database.crossTenant((tx) => this.appSecrets.liveSecrets(tx, appKey, new Date()));
    return sealed.map((box) => this.secrets.open(box, { appKey }));
  }
}

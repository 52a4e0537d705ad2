import { Database, type NarrowTransaction } from '@crm/database';
import type { Manifest } from '@crm/manifest';
import { Injectable } from '@nestjs/common';
import { AppRepository } from '../catalogue/app.repository.js';
import { isIdentifier } from '../catalogue/identifier.js';
import { VersionRepository } from '../catalogue/version.repository.js';
import { isKnownTo, type OfferedApp, type OfferedVersion, pickVersion, type WantedVersion } from './offer.js';

/** What a tenant can install. */
@Injectable()
export class OfferService {
  constructor(
    private readonly database: Database,
    private readonly apps: AppRepository,
    private readonly versions: VersionRepository,
  ) {}

  /**
   * The version that an install takes, with its package.
   * @throws PlatformError NOT_FOUND, APP_NOT_INSTALLABLE
   */
  async get(
    tenantId: string,
    appKey: string,
    wanted: WantedVersion,
  ): Promise<{ version: OfferedVersion; manifest: Manifest }> {
    return this.database.crossTenant(async (tx) => {
      const version = pickVersion(await this.find(tx, appKey), tenantId, wanted);
      return { version, manifest: await this.versions.getManifest(tx, version.id) };
    });
  }

  /** Whether a tenant may know that there is an app with this key. */
  async isKnown(tenantId: string, appKey: string): Promise<boolean> {
    const app = await this.database.crossTenant((tx) => this.apps.findOffer(tx, appKey));
    return app !== null && isKnownTo({ ...app, everPublished: app.firstPublishedAt !== null }, tenantId);
  }

  /** The package of an installed version. */
  getManifest(versionId: string): Promise<Manifest> {
    return this.database.crossTenant((tx) => this.versions.getManifest(tx, versionId));
  }

  private async find(tx: NarrowTransaction, appKey: string): Promise<OfferedApp | null> {
    if (!isIdentifier(appKey)) return null;
    const [app, versions] = await Promise.all([this.apps.findOffer(tx, appKey), this.versions.listOffered(tx, appKey)]);
    if (!app) return null;
    const { tenantId, visibility, firstPublishedAt } = app;
    return { tenantId, visibility, everPublished: firstPublishedAt !== null, versions };
  }
}

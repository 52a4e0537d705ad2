import { Database, type NarrowTransaction } from '@crm/database';
import type { CertificationProbes } from '@crm/manifest';
import { Inject, Injectable } from '@nestjs/common';
import { AppRepository, VersionRepository } from '../catalogue/catalogue.repository.js';
import { RESOLVE_HOST, type ResolveHost, SharedLookups } from './host-lookups.js';

/**
 * What the suite asks of this service: who owns a key, what was submitted, what is published, which addresses a name has.
 */
@Injectable()
export class CertificationProbesFactory {
  private readonly lookups: SharedLookups;

  constructor(
    private readonly database: Database,
    private readonly apps: AppRepository,
    private readonly versions: VersionRepository,
    @Inject(RESOLVE_HOST) resolveHost: ResolveHost,
  ) {
    this.lookups = new SharedLookups(resolveHost);
  }

  /** @param tenantId the publisher who asks: versions and packages of other publishers stay out of the answers */
  for(tenantId: string): CertificationProbes {
    return {
      keyOwnership: (key) =>
        this.database.crossTenant(async (tx) => {
          const app = await this.apps.find(tx, key);
          if (app === null) return 'free';
          return app.tenantId === tenantId ? 'own' : 'other';
        }),
      submittedVersions: (key) =>
        this.ofOwnApp(tenantId, key, [], async (tx) =>
          (await this.versions.listOfApp(tx, key)).map(({ version }) => version),
        ),
      publishedManifest: (key) =>
        this.ofOwnApp(tenantId, key, null, async (tx) => {
          const published = (await this.versions.listOfApp(tx, key)).find(({ status }) => status === 'published');
          return published ? this.versions.getManifest(tx, published.id) : null;
        }),
      resolveHost: this.lookups.for(tenantId),
    };
  }

  private ofOwnApp<T>(
    tenantId: string,
    key: string,
    other: T,
    read: (tx: NarrowTransaction) => Promise<T>,
  ): Promise<T> {
    return this.database.crossTenant(async (tx) =>
      (await this.apps.find(tx, key))?.tenantId === tenantId ? read(tx) : other,
    );
  }
}

import { Database, type NarrowTransaction } from '@crm/database';
import { nameServerResolver } from '@crm/egress';
import type { CertificationProbes } from '@crm/manifest';
import { Inject, Injectable } from '@nestjs/common';
import { AppRepository } from '../catalogue/app.repository.js';
import { isIdentifier } from '../catalogue/identifier.js';
import { VersionRepository } from '../catalogue/version.repository.js';
import { type ResolveHost, SharedLookups } from './host-lookups.js';

export const RESOLVE_HOST = Symbol('resolve host');

/** Milliseconds that the lookup of a name may take: silent name servers cannot hold up the certification. */
const LOOKUP_MS = 2000;

/** Asks the name servers, as a delivery does. */
export const outsideResolver: ResolveHost = nameServerResolver({ limitMs: LOOKUP_MS });

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
          const owner = await this.findOwner(tx, key);
          if (owner === null) return 'free';
          return owner === tenantId ? 'own' : 'other';
        }),
      submittedVersions: (key) => this.ofOwnApp(tenantId, key, [], (tx) => this.versions.listNumbers(tx, key)),
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
    return this.database.crossTenant(async (tx) => ((await this.findOwner(tx, key)) === tenantId ? read(tx) : other));
  }

  /** A key that nobody can own is not looked up: it may hold what a text column rejects. */
  private async findOwner(tx: NarrowTransaction, key: string): Promise<string | null> {
    return isIdentifier(key) ? this.apps.findOwner(tx, key) : null;
  }
}

import { Database, type NarrowTransaction } from '@crm/database';
import { nameServerResolver } from '@crm/egress';
import type { CertificationProbes } from '@crm/manifest';
import { Inject, Injectable } from '@nestjs/common';
import { isIdentifier } from '../submission/identifier.js';
import { PackageRepository } from '../submission/package.repository.js';
import { SubmissionRepository } from '../submission/submission.repository.js';
import { type ResolveHost, SharedLookups } from './bounded-resolver.js';

export type { ResolveHost } from './bounded-resolver.js';

export const RESOLVE_HOST = Symbol('resolve host');

/** Milliseconds that a name may take: silent name servers must not hold the certification up. */
const LOOKUP_MS = 2000;

/** Asks the name servers, as a delivery does. */
export const outsideResolver: ResolveHost = nameServerResolver({ limitMs: LOOKUP_MS });

/** What the suite asks of this service: who owns a key, what was submitted, what is published, which addresses a name has. */
@Injectable()
export class CertificationProbesFactory {
  private readonly lookups: SharedLookups;

  constructor(
    private readonly database: Database,
    private readonly submissions: SubmissionRepository,
    private readonly packages: PackageRepository,
    @Inject(RESOLVE_HOST) resolveHost: ResolveHost,
  ) {
    this.lookups = new SharedLookups(resolveHost);
  }

  /** @param tenantId the publisher who asks: other publishers' versions and packages stay out of the answers */
  for(tenantId: string): CertificationProbes {
    return {
      keyOwnership: (key) =>
        this.database.crossTenant(async (tx) => {
          const owner = await this.ownerOf(tx, key);
          if (owner === undefined) return 'free';
          return owner === tenantId ? 'own' : 'other';
        }),
      submittedVersions: (key) => this.ofOwnApp(tenantId, key, [], (tx) => this.submissions.versionsOf(tx, key)),
      publishedManifest: (key) =>
        this.ofOwnApp(tenantId, key, null, async (tx) => {
          const published = (await this.submissions.ofApp(tx, key)).find(({ status }) => status === 'published');
          return published ? this.packages.read(tx, published.id) : null;
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
    return this.database.crossTenant(async (tx) => ((await this.ownerOf(tx, key)) === tenantId ? read(tx) : other));
  }

  /** A key that could never have been taken is not asked for: it may hold what a text column refuses. */
  private async ownerOf(tx: NarrowTransaction, key: string): Promise<string | undefined> {
    return isIdentifier(key) ? this.submissions.ownerOf(tx, key) : undefined;
  }
}

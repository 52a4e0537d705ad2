import { type Principal, RevocationSource } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import type { Manifest } from '@crm/manifest';
import { Injectable } from '@nestjs/common';
import { AppService } from '../catalogue/app.service.js';
import type { App, Submission } from '../catalogue/catalogue.entity.js';
import { AppRepository, type BroughtRole, isIdentifier, VersionRepository } from '../catalogue/catalogue.repository.js';
import { highestFirst, type VersionStatus } from '../catalogue/version-state.js';
import { InstallationRepository } from './installation.repository.js';
import type { Standing } from './notices.js';

export type OfferedVersion = Pick<Submission, 'id' | 'version' | 'status'>;

/** Until a version is published, only the publisher knows the app. */
export type OfferedApp = Pick<App, 'tenantId' | 'visibility' | 'firstPublishedAt'> & {
  readonly versions: readonly OfferedVersion[];
  readonly isPublisherSuspended?: boolean;
};

interface WantedVersion {
  readonly version?: string;
  readonly sandbox: boolean;
}

/** What a publisher can try in a sandbox before anyone else sees it. */
const REVIEWABLE: readonly VersionStatus[] = ['in_review', 'approved'];

/** Returns whether a tenant may know that there is the app. */
const isKnownTo = (app: Omit<OfferedApp, 'versions'>, tenantId: string): boolean =>
  app.tenantId === tenantId || (app.firstPublishedAt !== null && app.visibility !== 'private');

/**
 * Picks the version that an install takes: the one it asks for; otherwise the published one; otherwise, in a sandbox of
 * the publisher, the highest one under review.
 * @throws PlatformError NOT_FOUND for what the tenant may not know, APP_NOT_INSTALLABLE for what it may not install, also while the
 *   publisher is suspended
 */
export function pickVersion(
  app: OfferedApp | null,
  tenantId: string,
  { version, sandbox }: WantedVersion,
): OfferedVersion {
  if (!app || !isKnownTo(app, tenantId)) throw new PlatformError('NOT_FOUND');
  if (app.isPublisherSuspended) throw new PlatformError('APP_NOT_INSTALLABLE', "The app's publisher is suspended");
  // For good, so that no version of it is tried any more either.
  if (app.versions.some(({ status }) => status === 'revoked')) {
    throw new PlatformError('APP_NOT_INSTALLABLE', 'The app was revoked');
  }
  const own = app.tenantId === tenantId;
  const isInstallable = ({ status }: OfferedVersion) =>
    status === 'published' || (own && sandbox && REVIEWABLE.includes(status));

  if (version !== undefined) {
    const named = app.versions.find((candidate) => candidate.version === version);
    if (!named || !(own || wasPublished(named.status))) throw new PlatformError('NOT_FOUND');
    if (!isInstallable(named))
      throw new PlatformError('APP_NOT_INSTALLABLE', `Version ${version} has the status ${named.status}`);
    return named;
  }
  const candidates = app.versions.filter(isInstallable).sort(highestFirst);
  const picked = candidates.find(({ status }) => status === 'published') ?? candidates[0];
  if (!picked) throw new PlatformError('APP_NOT_INSTALLABLE', 'The app has no published version');
  return picked;
}

/** Versions that were in the marketplace once are not secret. */
function wasPublished(status: VersionStatus): boolean {
  return status === 'published' || status === 'deprecated' || status === 'suspended' || status === 'revoked';
}

@Injectable()
export class OfferService {
  constructor(
    private readonly database: Database,
    private readonly appService: AppService,
    private readonly apps: AppRepository,
    private readonly versions: VersionRepository,
    private readonly installations: InstallationRepository,
    private readonly revocations: RevocationSource,
  ) {}

  /** The version that an install takes, with its package. @throws PlatformError NOT_FOUND, APP_NOT_INSTALLABLE */
  async get(
    tenantId: string,
    appKey: string,
    wanted: WantedVersion,
  ): Promise<{ version: OfferedVersion; manifest: Manifest }> {
    return this.database.crossTenant(async (tx) => {
      const app = await this.apps.find(tx, appKey);
      const versions = app ? await this.versions.listOfApp(tx, appKey) : [];
      const isPublisherSuspended = app !== null && this.revocations.isSuspended(app.tenantId);
      const version = pickVersion(app && { ...app, versions, isPublisherSuspended }, tenantId, wanted);
      return { version, manifest: await this.versions.getManifest(tx, version.id) };
    });
  }

  /** The roles that the installed apps of a workspace bring. */
  async listRoles(tenantId: string): Promise<BroughtRole[]> {
    const ids = await this.database.transaction(tenantId, (tx) => this.installations.listVersionIds(tx));
    return ids.length === 0 ? [] : this.database.crossTenant((tx) => this.versions.listRoles(tx, ids));
  }

  /** Where apps stand, by key; one that nobody has submitted has no entry. */
  async listStandings(appKeys: readonly string[]): Promise<Map<string, Standing>> {
    if (appKeys.length === 0) return new Map();
    const rows = await this.database.crossTenant((tx) => this.versions.listStandings(tx, appKeys));
    return new Map(
      rows.map(({ appKey, publisherId, status }) => [
        appKey,
        { status, isPublisherSuspended: this.revocations.isSuspended(publisherId) },
      ]),
    );
  }

  /** Returns whether a workspace may know an app; one that it has installed also when its publisher has made it private since. */
  async isKnown({ tenantId }: Principal, appKey: string): Promise<boolean> {
    if (!isIdentifier(appKey)) return false;
    const app = await this.database.crossTenant((tx) => this.apps.find(tx, appKey));
    if (app && isKnownTo(app, tenantId)) return true;
    return this.database.transaction(tenantId, (tx) => this.installations.hasEver(tx, appKey));
  }

  /**
   * The ids of the sandboxes of an app in the workspace of its publisher, newest first.
   * @throws PlatformError NOT_FOUND when the principal's tenant does not publish the app
   */
  async listSandboxes({ tenantId }: Principal, appKey: string): Promise<string[]> {
    await this.appService.assertOwned(tenantId, appKey);
    return this.database.transaction(tenantId, (tx) => this.installations.listSandboxes(tx, appKey));
  }

  getManifest(versionId: string): Promise<Manifest> {
    return this.database.crossTenant((tx) => this.versions.getManifest(tx, versionId));
  }
}

import { PlatformError } from '@crm/contracts';
import { compareVersions } from '@crm/manifest';
import { type VersionStatus } from '../catalogue/version-state.js';

/** A version of an app as an install considers it. */
export interface OfferedVersion {
  readonly id: string;
  readonly version: string;
  readonly status: VersionStatus;
}

export interface OfferedApp {
  /** The publisher. */
  readonly tenantId: string;
  readonly visibility: string;
  /** Whether a version was ever published: before that, only the publisher knows the app. */
  readonly everPublished: boolean;
  readonly versions: readonly OfferedVersion[];
}

/** What an install asks for. */
export interface WantedVersion {
  /** The published version by default. */
  readonly version?: string;
  readonly sandbox: boolean;
}

/** What a publisher can try in a sandbox before anyone else sees it. */
const REVIEWABLE: readonly VersionStatus[] = ['in_review', 'approved'];

/** Whether a tenant may know that there is the app. */
export const isKnownTo = (
  app: Pick<OfferedApp, 'tenantId' | 'visibility' | 'everPublished'>,
  tenantId: string,
): boolean => app.tenantId === tenantId || (app.everPublished && app.visibility !== 'private');

/**
 * Picks the version that an install takes: the one it asks for; otherwise the published one; otherwise, in a sandbox of
 * the publisher, the highest one under review.
 * @throws PlatformError NOT_FOUND for what the tenant may not know, APP_NOT_INSTALLABLE for what it may not install
 */
export function pickVersion(
  app: OfferedApp | null,
  tenantId: string,
  { version, sandbox }: WantedVersion,
): OfferedVersion {
  if (!app || !isKnownTo(app, tenantId)) throw new PlatformError('NOT_FOUND');
  const own = app.tenantId === tenantId;
  const isInstallable = ({ status }: OfferedVersion) =>
    status === 'published' || (own && sandbox && REVIEWABLE.includes(status));

  if (version !== undefined) {
    const named = app.versions.find((candidate) => candidate.version === version);
    if (!named || !(own || wasPublished(named.status))) throw new PlatformError('NOT_FOUND');
    if (!isInstallable(named)) throw new PlatformError('APP_NOT_INSTALLABLE', `Version ${version} is ${named.status}`);
    return named;
  }
  const candidates = app.versions
    .filter(isInstallable)
    .sort((one, other) => compareVersions(other.version, one.version));
  const picked = candidates.find(({ status }) => status === 'published') ?? candidates[0];
  if (!picked) throw new PlatformError('APP_NOT_INSTALLABLE', 'No version of the app is published');
  return picked;
}

/** Versions that were in the marketplace once are not secret. */
function wasPublished(status: VersionStatus): boolean {
  return status === 'published' || status === 'deprecated' || status === 'suspended' || status === 'revoked';
}

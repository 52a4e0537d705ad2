import { PlatformError, type VersionStatus } from '@crm/contracts';
import { compareVersions } from '@crm/manifest';

/** A version of an app, as far as installing it goes. */
export interface OfferedVersion {
  readonly id: string;
  readonly version: string;
  readonly status: VersionStatus;
}

export interface OfferedApp {
  /** The publisher's workspace. */
  readonly tenantId: string;
  readonly visibility: string;
  /** Whether any version was ever published: before that only the publisher knows of the app. */
  readonly everPublished: boolean;
  readonly versions: readonly OfferedVersion[];
}

/** What a publisher may try in a sandbox before anybody else sees it. */
const REVIEWABLE: readonly VersionStatus[] = ['in_review', 'approved'];

/**
 * The version that an install takes: the one asked for, else the published one, else (the publisher's sandbox) the
 * highest that is under review.
 * @throws PlatformError NOT_FOUND for what the tenant may not know of, APP_NOT_INSTALLABLE for what it may not install
 */
export function pickVersion(
  app: OfferedApp | undefined,
  tenantId: string,
  { version, sandbox }: { version?: string; sandbox: boolean },
): OfferedVersion {
  const own = app?.tenantId === tenantId;
  if (!app || !(own || (app.everPublished && app.visibility !== 'private'))) throw new PlatformError('NOT_FOUND');
  const mayInstall = ({ status }: OfferedVersion) =>
    status === 'published' || (own && sandbox && REVIEWABLE.includes(status));

  if (version !== undefined) {
    const named = app.versions.find((candidate) => candidate.version === version);
    if (!named || !(own || wasPublished(named.status))) throw new PlatformError('NOT_FOUND');
    if (!mayInstall(named)) throw new PlatformError('APP_NOT_INSTALLABLE', `Version ${version} is ${named.status}.`);
    return named;
  }
  const candidates = app.versions.filter(mayInstall).sort((one, other) => compareVersions(other.version, one.version));
  const picked = candidates.find(({ status }) => status === 'published') ?? candidates[0];
  if (!picked) throw new PlatformError('APP_NOT_INSTALLABLE', 'No version of the app is published.');
  return picked;
}

/** Versions that were in the marketplace once are no secret. */
function wasPublished(status: VersionStatus): boolean {
  return status === 'published' || status === 'deprecated' || status === 'suspended' || status === 'revoked';
}

import type { DifferenceView } from '@crm/contracts';
import type { NarrowTransaction } from '@crm/database';
import { compareVersions, manifestDifference, summariseDifference } from '@crm/manifest';
import { Injectable } from '@nestjs/common';
import type { Version } from './version.entity.js';
import { VersionRepository } from './version.repository.js';

/** What a version changes against the one that tenants have. */
@Injectable()
export class VersionDifferenceService {
  constructor(private readonly versions: VersionRepository) {}

  /**
   * Against the highest lower version that was ever published: of a version under review that is the published one, also
   * while it is suspended, because tenants still have it.
   * @returns null for the first version of an app
   */
  async find(
    tx: NarrowTransaction,
    { id, appKey, version }: Pick<Version, 'id' | 'appKey' | 'version'>,
  ): Promise<DifferenceView | null> {
    const lower = (await this.versions.listPublishedOnce(tx, appKey))
      .filter((other) => compareVersions(other.version, version) < 0)
      .sort((one, other) => compareVersions(other.version, one.version));
    const [earlier] = lower;
    if (!earlier) return null;
    const before = await this.versions.getManifest(tx, earlier.id);
    const after = await this.versions.getManifest(tx, id);
    const { entries, counts, complete } = summariseDifference(manifestDifference(before, after));
    const against = { submissionId: earlier.id, version: earlier.version, versionStatus: earlier.status };
    return { against, entries: entries.map((entry) => ({ ...entry })), counts: { ...counts }, complete };
  }
}

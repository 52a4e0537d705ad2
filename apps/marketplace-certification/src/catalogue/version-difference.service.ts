import { Database } from '@crm/database';
import { compareVersions, manifestDifference, summariseDifference } from '@crm/manifest';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Version } from './catalogue.entity.js';
import { VersionRepository } from './catalogue.repository.js';
import type { DifferenceView } from './difference.dto.js';
import { highestFirst } from './version-state.js';

type Summary = Pick<DifferenceView, 'entries' | 'counts' | 'complete'>;

/** The JSON text of all differences that are kept together. The longest has some hundred kilobytes. */
const KEPT_CHARACTERS = 16 * 1024 * 1024;

/**
 * What a version changes against the one that tenants have. That of long packages takes a good part of a second to compute,
 * and packages never change: each difference is computed once, no matter who asks for it and how often, and holds up no transaction.
 */
@Injectable()
export class VersionDifferenceService {
  private readonly summaries = new LRUCache<string, Summary, readonly [before: string, after: string]>({
    maxSize: KEPT_CHARACTERS,
    sizeCalculation: (summary) => JSON.stringify(summary).length,
    fetchMethod: (_pair, _stale, { context }) => this.compute(...context),
    ignoreFetchAbort: true,
  });

  constructor(
    private readonly database: Database,
    private readonly versions: VersionRepository,
  ) {}

  /**
   * Against the highest lower version that was ever published: of a version under review that is the published one, also
   * while it is suspended, because tenants still have it.
   * @returns null for the first version of an app
   */
  async find({ id, appKey, version }: Pick<Version, 'id' | 'appKey' | 'version'>): Promise<DifferenceView | null> {
    const versions = await this.database.crossTenant((tx) => this.versions.listOfApp(tx, appKey));
    const [earlier] = versions
      .filter((other) => other.publishedAt !== null && compareVersions(other.version, version) < 0)
      .sort(highestFirst);
    if (!earlier) return null;
    const against = { submissionId: earlier.id, version: earlier.version, versionStatus: earlier.status };
    const pair = [earlier.id, id] as const;
    return { against, ...(await this.summaries.forceFetch(pair.join('/'), { context: pair })) };
  }

  private async compute(before: string, after: string): Promise<Summary> {
    const [earlier, later] = await this.database.crossTenant(
      async (tx) => [await this.versions.getManifest(tx, before), await this.versions.getManifest(tx, after)] as const,
    );
    const { entries, counts, complete } = summariseDifference(manifestDifference(earlier, later));
    return { entries: entries.map((entry) => ({ ...entry })), counts: { ...counts }, complete };
  }
}

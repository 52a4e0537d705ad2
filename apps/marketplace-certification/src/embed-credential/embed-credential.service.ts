import type { Principal } from '@crm/context';
import { PlatformError, rpc, type VersionStatus } from '@crm/contracts';
import { Database } from '@crm/database';
import { compareVersions, type ManifestEmbed } from '@crm/manifest';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { DeveloperAppService } from '../submission/developer-app.service.js';
import { PackageRepository } from '../submission/package.repository.js';
import { SubmissionRepository } from '../submission/submission.repository.js';

/** Versions whose embed section counts. What was refused or taken back does not decide who may frame the CRM. */
const COUNTING: readonly VersionStatus[] = ['in_review', 'approved', 'published', 'deprecated'];

/** What a version without an embed section says of embedding: nobody may frame, and no scope is granted. */
const NO_EMBED: ManifestEmbed = { allowedOrigins: [] };

/** Credentials by which an app's backend mints embed tokens for the users of the app's own workspace. */
@Injectable()
export class EmbedCredentialService {
  constructor(
    private readonly database: Database,
    private readonly apps: DeveloperAppService,
    private readonly submissions: SubmissionRepository,
    private readonly packages: PackageRepository,
    private readonly rpc: Rpc,
  ) {}

  /** @throws PlatformError NOT_FOUND when the app is not the caller's, CONFLICT when no version that counts embeds */
  async issue(principal: Principal, appKey: string): Promise<{ clientId: string; clientSecret: string }> {
    await this.apps.assertOwned(principal.tenantId, appKey);
    const embed = await this.newestEmbed(appKey);
    if (!embed) throw new PlatformError('CONFLICT', 'No version that is published or in review has an embed section.');
    return this.rpc.call(
      rpc.identity.issueEmbedCredentials,
      { appKey, ...settingsOf(embed) },
      { token: principal.token },
    );
  }

  /**
   * Lets the credentials that an app may have follow a version that is being published: who may frame the CRM, and with
   * which scopes, must not wait until the publisher asks for a new secret.
   * @param tenantId the publisher
   * @param embed undefined for a version that does not embed: the credentials stay and can do nothing until one does
   * @throws PlatformError SERVICE_UNAVAILABLE, DEADLINE_EXCEEDED
   */
  async follow(tenantId: string, appKey: string, embed: ManifestEmbed | undefined): Promise<void> {
    await this.rpc.call(rpc.identity.updateEmbedSettings, { tenantId, appKey, ...settingsOf(embed ?? NO_EMBED) });
  }

  /** Of the newest version that embeds. What is older than the published version does not count any more. */
  private newestEmbed(appKey: string): Promise<ManifestEmbed | undefined> {
    return this.database.crossTenant(async (tx) => {
      const versions = (await this.submissions.ofApp(tx, appKey))
        .filter(({ status }) => COUNTING.includes(status))
        .sort((one, other) => compareVersions(other.version, one.version));
      for (const { id, status } of versions) {
        const { embed } = await this.packages.read(tx, id);
        if (embed || status === 'published') return embed;
      }
      return undefined;
    });
  }
}

function settingsOf({ allowedOrigins, scopes = [], linkUsersBy = 'email' }: ManifestEmbed) {
  return { allowedOrigins, scopes: [...new Set(scopes)], linkUsersBy };
}

import type { Principal } from '@crm/access';
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

  /** @throws PlatformError NOT_FOUND when the app is not the caller's, CONFLICT when no version embeds */
  async issue(principal: Principal, appKey: string): Promise<{ clientId: string; clientSecret: string }> {
    await this.apps.assertOwned(principal.tenantId, appKey);
    const embed = await this.newestEmbed(appKey);
    if (!embed) throw new PlatformError('CONFLICT', 'No submitted version of the app has an embed section.');
    return this.rpc.call(
      rpc.identity.issueEmbedCredentials,
      {
        appKey,
        allowedOrigins: embed.allowedOrigins,
        scopes: embed.scopes ?? [],
        linkUsersBy: embed.linkUsersBy ?? 'email',
      },
      { token: principal.token },
    );
  }

  private newestEmbed(appKey: string): Promise<ManifestEmbed | undefined> {
    return this.database.crossTenant(async (tx) => {
      const versions = (await this.submissions.ofApp(tx, appKey))
        .filter(({ status }) => COUNTING.includes(status))
        .sort((one, other) => compareVersions(other.version, one.version));
      for (const { id } of versions) {
        const { embed } = await this.packages.read(tx, id);
        if (embed) return embed;
      }
      return undefined;
    });
  }
}

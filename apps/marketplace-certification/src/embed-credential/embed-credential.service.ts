import type { Principal } from '@crm/context';
import { PlatformError, rpc, type VersionStatus } from '@crm/contracts';
import { Database } from '@crm/database';
import { compareVersions, type ManifestEmbed } from '@crm/manifest';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { AppService } from '../catalogue/app.service.js';
import { VersionRepository } from '../catalogue/version.repository.js';
import type { EmbedCredentialsView } from './embed-credential.dto.js';

/** Versions whose embed section counts. What was rejected or withdrawn does not decide who may frame the CRM. */
const COUNTING: readonly VersionStatus[] = ['in_review', 'approved', 'published', 'deprecated'];

/** The settings of a version without an embed section: nobody may frame, and no scope is granted. */
const NO_EMBED: ManifestEmbed = { allowedOrigins: [] };

/** Credentials with which the backend of an app mints embed tokens for the users of the publisher's own workspace. */
@Injectable()
export class EmbedCredentialService {
  constructor(
    private readonly database: Database,
    private readonly apps: AppService,
    private readonly versions: VersionRepository,
    private readonly rpc: Rpc,
  ) {}

  /**
   * @throws PlatformError NOT_FOUND when the principal's tenant does not publish the app, CONFLICT when no version that
   *   counts embeds
   */
  async issue(principal: Principal, appKey: string): Promise<EmbedCredentialsView> {
    await this.apps.assertOwned(principal.tenantId, appKey);
    const embed = await this.findNewestEmbed(appKey);
    if (!embed) throw new PlatformError('CONFLICT', 'No version that is published or in review has an embed section');
    return this.rpc.call(rpc.identity.issueEmbedCredentials, { appKey, ...settingsOf(embed) }, principal);
  }

  /**
   * Applies the embed section of a version that is being published to credentials that may exist: who may frame the CRM,
   * and with which scopes, cannot wait until the publisher requests a new secret.
   * @param tenantId the publisher
   * @param embed undefined for a version that does not embed: the credentials stay, without effect until a version embeds
   * @throws PlatformError SERVICE_UNAVAILABLE, DEADLINE_EXCEEDED
   */
  async follow(tenantId: string, appKey: string, embed: ManifestEmbed | undefined): Promise<void> {
    await this.rpc.call(rpc.identity.updateEmbedSettings, { tenantId, appKey, ...settingsOf(embed ?? NO_EMBED) });
  }

  /** Of the newest version that embeds. Versions older than the published one do not count. */
  private findNewestEmbed(appKey: string): Promise<ManifestEmbed | null> {
    return this.database.crossTenant(async (tx) => {
      const versions = (await this.versions.listOfApp(tx, appKey))
        .filter(({ status }) => COUNTING.includes(status))
        .sort((one, other) => compareVersions(other.version, one.version));
      for (const { id, status } of versions) {
        const { embed } = await this.versions.getManifest(tx, id);
        if (embed || status === 'published') return embed ?? null;
      }
      return null;
    });
  }
}

function settingsOf({ allowedOrigins, scopes = [], linkUsersBy = 'email' }: ManifestEmbed) {
  return { allowedOrigins, scopes: [...new Set(scopes)], linkUsersBy };
}

import { randomBytes } from 'node:crypto';
import type { Principal } from '@crm/access';
import { type EmbedCredentialsSummary, fingerprintOf, PlatformError, rpc } from '@crm/contracts';
import { Database } from '@crm/database';
import type { ManifestEmbed } from '@crm/manifest';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { AppService } from '../catalogue/app.service.js';
import { VersionRepository } from '../catalogue/catalogue.repository.js';
import { highestFirst, type VersionStatus } from '../catalogue/version-state.js';
import type { EmbedCredentialsInput, EmbedCredentialsView } from './credentials.dto.js';

/** Versions whose embed section counts. What was rejected or withdrawn does not decide who may frame the CRM. */
const COUNTING: readonly VersionStatus[] = ['in_review', 'approved', 'published', 'deprecated'];

const REVIEWED: readonly VersionStatus[] = ['approved', 'published', 'deprecated', 'suspended', 'revoked'];

/** For how long hosts can go on with the previous secret unless the publisher says otherwise. */
const OVERLAP_HOURS = 24;

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
   *   counts embeds, or for origins on localhost of an app that has been reviewed; EMAIL_NOT_VERIFIED
   */
  async issue(principal: Principal, appKey: string, input: EmbedCredentialsInput = {}): Promise<EmbedCredentialsView> {
    const { overlapHours = OVERLAP_HOURS, developmentOrigins = [] } = input;
    await this.apps.assertOwned(principal.tenantId, appKey);
    const { embed, reviewed } = await this.findNewestEmbed(appKey);
    if (!embed)
      throw new PlatformError(
        'CONFLICT',
        'No version that is published or in review has an embed section. Submit one first',
      );
    const { secret: clientSecret, fingerprint } = issuedSecret();
    const how = { fingerprint, reviewed, developmentOrigins, overlapSeconds: overlapHours * 3600 };
    const issued = await this.rpc.call(
      rpc.identity.issueEmbedCredentials,
      { appKey, ...settingsOf(embed), ...how },
      principal,
    );
    const { clientId, previousSecretValidUntil = null } = issued;
    return { clientId, clientSecret, previousSecretValidUntil };
  }

  /** @throws PlatformError NOT_FOUND when the principal's tenant does not publish the app, or it has no credentials */
  async get(principal: Principal, appKey: string): Promise<EmbedCredentialsSummary> {
    await this.apps.assertOwned(principal.tenantId, appKey);
    const { credentials } = await this.rpc.call(rpc.identity.describeEmbedCredentials, { appKey }, principal);
    if (!credentials) throw noCredentials();
    return credentials;
  }

  /** @throws PlatformError NOT_FOUND when the principal's tenant does not publish the app, or it has no credentials */
  async end(principal: Principal, appKey: string): Promise<void> {
    await this.apps.assertOwned(principal.tenantId, appKey);
    const { ended } = await this.rpc.call(rpc.identity.endEmbedCredentials, { appKey }, principal);
    if (!ended) throw noCredentials();
  }

  /** @throws PlatformError NOT_FOUND when the principal's tenant does not publish the app, or no previous secret is valid */
  async revokePrevious(principal: Principal, appKey: string): Promise<void> {
    await this.apps.assertOwned(principal.tenantId, appKey);
    const { revoked } = await this.rpc.call(rpc.identity.revokePreviousEmbedSecret, { appKey }, principal);
    if (!revoked) throw new PlatformError('NOT_FOUND', "There's no previous secret to revoke");
  }

  /**
   * Applies the embed section of a version that was published to credentials that may exist: who may frame the CRM,
   * and with which scopes, cannot wait until the publisher requests a new secret.
   * @param embed undefined for a version that does not embed: the credentials stay, without effect until a version embeds
   */
  async follow(tenantId: string, appKey: string, embed: ManifestEmbed | undefined): Promise<void> {
    await this.rpc.call(rpc.identity.updateEmbedSettings, { tenantId, appKey, ...settingsOf(embed ?? NO_EMBED) });
  }

  /** Finds the section of the newest version that embeds, and whether any was reviewed. Versions older than the published one do not count. */
  private findNewestEmbed(appKey: string): Promise<{ embed: ManifestEmbed | null; reviewed: boolean }> {
    return this.database.crossTenant(async (tx) => {
      const submissions = await this.versions.listOfApp(tx, appKey);
      const reviewed = submissions.some(({ status }) => REVIEWED.includes(status));
      const versions = submissions.filter(({ status }) => COUNTING.includes(status)).sort(highestFirst);
      for (const { id, status } of versions) {
        const { embed } = await this.versions.getManifest(tx, id);
        if (embed || status === 'published') return { embed: embed ?? null, reviewed };
      }
      return { embed: null, reviewed };
    });
  }
}

const noCredentials = () => new PlatformError('NOT_FOUND', 'No embed credentials were issued for the app');

function settingsOf({ allowedOrigins, scopes = [], linkUsersBy = 'email' }: ManifestEmbed) {
  return { allowedOrigins, scopes: [...new Set(scopes)], linkUsersBy };
}

/** Bytes of a secret: 256 bits, beyond guessing. */
const SECRET_BYTES = 32;

/** A new secret in base64url, to be shown once, and what identity is told of it. Nobody stores the secret. */
export function issuedSecret(): { readonly secret: string; readonly fingerprint: string } {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return { secret, fingerprint: fingerprintOf(secret) };
}

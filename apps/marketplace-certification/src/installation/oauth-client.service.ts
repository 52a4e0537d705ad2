import type { Principal } from '@crm/access';
import { type OAuthCredentialsSummary, PlatformError, rpc } from '@crm/contracts';
import { Database } from '@crm/database';
import type { Manifest } from '@crm/manifest';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { AppRepository, storedText } from '../catalogue/catalogue.repository.js';
import { issuedSecret } from '../credentials/embed-credential.service.js';
import { requestedScopes } from './grants.js';
import type { OAuthCredentialsInput, OAuthCredentialsView } from './installation.dto.js';
import type { Installation } from './installation.entity.js';
import { InstallationRepository, type RemovedInstallation } from './installation.repository.js';
import { OfferService } from './offer.service.js';

/** For how long an app can go on with the previous secret unless the administrator says otherwise. */
const OVERLAP_HOURS = 24;

/**
 * What identity is told of installations, so that it issues tokens for them and ends these, and the credentials with which an
 * installed app gets tokens: administrators of its workspace hold them.
 */
@Injectable()
export class OAuthClientService {
  constructor(
    private readonly database: Database,
    private readonly apps: AppRepository,
    private readonly installations: InstallationRepository,
    private readonly offers: OfferService,
    private readonly rpc: Rpc,
  ) {}

  /** Lets the users of the tenant authorize the app. @throws PlatformError of identity */
  async register(installation: Installation, manifest: Manifest): Promise<void> {
    const facts = await this.factsOf(installation, manifest);
    await this.rpc.call(rpc.identity.registerOAuthInstallation, { tenantId: installation.tenantId, ...facts });
  }

  /** Ends credentials, grants and tokens of an installation. @throws PlatformError of identity */
  async end(removed: RemovedInstallation, discard: boolean): Promise<void> {
    await this.rpc.call(rpc.identity.endOAuthInstallation, { ...removed, discard });
  }

  /** @throws PlatformError NOT_FOUND, CONFLICT unless the installation is active */
  async issue(
    principal: Principal,
    id: string,
    { overlapHours = OVERLAP_HOURS }: OAuthCredentialsInput = {},
  ): Promise<OAuthCredentialsView> {
    const installation = await this.find(principal, id);
    if (installation.state !== 'active') {
      throw new PlatformError('CONFLICT', `The installation's state is ${installation.state}`);
    }
    const facts = await this.factsOf(installation, await this.offers.getManifest(installation.versionId));
    const { secret: clientSecret, fingerprint } = issuedSecret();
    const request = { ...facts, fingerprint, overlapSeconds: overlapHours * 3600 };
    const issued = await this.rpc.call(rpc.identity.issueOAuthCredentials, request, principal);
    return { clientId: issued.clientId, clientSecret, previousSecretValidUntil: issued.previousSecretValidUntil };
  }

  /** @throws PlatformError NOT_FOUND, also when none were issued */
  async get(principal: Principal, id: string): Promise<OAuthCredentialsSummary> {
    await this.find(principal, id);
    const request = { installationId: id };
    const { credentials } = await this.rpc.call(rpc.identity.describeOAuthCredentials, request, principal);
    if (!credentials) throw new PlatformError('NOT_FOUND', 'No client credentials were issued for this installation');
    return credentials;
  }

  /** @throws PlatformError NOT_FOUND, also when no previous secret is valid */
  async revokePrevious(principal: Principal, id: string): Promise<void> {
    await this.find(principal, id);
    const { revoked } = await this.rpc.call(rpc.identity.revokePreviousOAuthSecret, { installationId: id }, principal);
    if (!revoked) throw new PlatformError('NOT_FOUND', "There's no previous secret to revoke");
  }

  private async find({ tenantId }: Principal, id: string): Promise<Installation> {
    const installation = await this.database.transaction(tenantId, (tx) => this.installations.find(tx, id));
    if (!installation) throw new PlatformError('NOT_FOUND');
    return installation;
  }

  private async factsOf({ id, appKey, sandbox, grantedScopes }: Installation, manifest: Manifest) {
    const { name, oauth } = manifest;
    const required = requestedScopes(manifest).filter(({ optional }) => !optional);
    const app = await this.database.crossTenant((tx) => this.apps.find(tx, appKey));
    return {
      installationId: id,
      appKey,
      appName: storedText(name, 200),
      publisher: app?.publisherName ?? '',
      sandbox,
      scopes: grantedScopes,
      requiredScopes: required.map(({ scope }) => scope),
      redirectUris: oauth?.redirectUris ?? [],
    };
  }
}

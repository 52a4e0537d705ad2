import type { Principal } from '@crm/access';
import { type OAuthCredentialsSummary, PlatformError, rpc } from '@crm/contracts';
import { Database } from '@crm/database';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import type { Installation } from '../installation/installation.entity.js';
import { InstallationRepository } from '../installation/installation.repository.js';
import { OAuthClientService } from '../installation/oauth-client.service.js';
import { OfferService } from '../installation/offer.service.js';
import { issuedSecret } from '../issued-secret/issued-secret.js';
import type { OAuthCredentialsInput, OAuthCredentialsView } from './oauth-credential.dto.js';

/** For how long an app can go on with the previous secret unless the administrator says otherwise. */
const OVERLAP_HOURS = 24;

/** Credentials with which an installed app gets tokens of its own; administrators of its workspace hold them. */
@Injectable()
export class OAuthCredentialService {
  constructor(
    private readonly database: Database,
    private readonly installations: InstallationRepository,
    private readonly offers: OfferService,
    private readonly clients: OAuthClientService,
    private readonly rpc: Rpc,
  ) {}

  /** @throws PlatformError NOT_FOUND, CONFLICT unless the installation is active, STEP_UP_REQUIRED */
  async issue(
    principal: Principal,
    id: string,
    { overlapHours = OVERLAP_HOURS }: OAuthCredentialsInput = {},
  ): Promise<OAuthCredentialsView> {
    const installation = await this.find(principal, id);
    if (installation.state !== 'active') {
      throw new PlatformError('CONFLICT', `The installation is ${installation.state}`);
    }
    const facts = await this.clients.factsOf(installation, await this.offers.getManifest(installation.versionId));
    const { secret: clientSecret, fingerprint } = issuedSecret();
    const request = { ...facts, fingerprint, overlapSeconds: overlapHours * 3600 };
    const issued = await this.rpc.call(rpc.identity.issueOAuthCredentials, request, principal);
    return { clientId: issued.clientId, clientSecret, previousSecretValidUntil: issued.previousSecretValidUntil };
  }

  /** @throws PlatformError NOT_FOUND, also when none were issued */
  async get(principal: Principal, id: string): Promise<OAuthCredentialsSummary> {
    await this.find(principal, id);
    const { credentials } = await this.rpc.call(
      rpc.identity.describeOAuthCredentials,
      { installationId: id },
      principal,
    );
    if (!credentials) throw new PlatformError('NOT_FOUND', 'No credentials were issued for the installation');
    return credentials;
  }

  /** @throws PlatformError NOT_FOUND, also when no previous secret is valid */
  async revokePrevious(principal: Principal, id: string): Promise<void> {
    await this.find(principal, id);
    const { revoked } = await this.rpc.call(rpc.identity.revokePreviousOAuthSecret, { installationId: id }, principal);
    if (!revoked) throw new PlatformError('NOT_FOUND', 'No previous secret is valid');
  }

  private async find({ tenantId }: Principal, id: string): Promise<Installation> {
    const installation = await this.database.transaction(tenantId, (tx) => this.installations.find(tx, id));
    if (!installation) throw new PlatformError('NOT_FOUND');
    return installation;
  }
}

import { ACCESS_TOKEN_SECONDS, AUDIENCES, appRole, type Scope } from '@crm/contracts';
import { newId } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { TokenSigner } from '../sessions/token-signer.js';
import { OAuthError } from './oauth-error.js';
import { OAuthInstallationRepository } from './oauth-installation.repository.js';
import type { PresentedClient } from './presented-client.js';
import { scopesOfToken } from './scopes.js';
import type { TokenAnswer } from './token-answer.js';

/** Tokens with which an installed app calls the API as itself (RFC 6749, section 4.4). */
@Injectable()
export class InstallationTokenService {
  constructor(
    private readonly installations: OAuthInstallationRepository,
    private readonly signer: TokenSigner,
  ) {}

  /** @throws OAuthError invalid_client, invalid_scope; unauthorized_client while the workspace is suspended */
  async issue(client: PresentedClient, wanted: readonly Scope[] | undefined): Promise<TokenAnswer> {
    // Before the installation is read: whatever ends it after that has a later cut-off, and ends this token too.
    const tokenId = newId();
    const { installationId, tenantId, appKey, scopes: granted } = await this.authenticate(client);
    if (!this.signer.issuesFor(tenantId)) throw new OAuthError('unauthorized_client', 'The workspace is suspended');
    const scopes = scopesOfToken(wanted, granted);
    const content = {
      aud: AUDIENCES.api,
      sub: installationId,
      tid: tenantId,
      roles: [appRole(appKey)],
      scopes,
      // A name of this one token, so that it can be revoked alone.
      sid: tokenId,
      act: { sub: appKey, installation_id: installationId },
    };
    return {
      access_token: await this.signer.sign(content, ACCESS_TOKEN_SECONDS, tokenId),
      token_type: 'Bearer',
      expires_in: ACCESS_TOKEN_SECONDS,
      scope: scopes.join(' '),
      installation_id: installationId,
      tenant_id: tenantId,
    };
  }

  /** @throws OAuthError invalid_client, the same for every reason */
  async authenticate({ clientId, clientSecret }: PresentedClient) {
    const client = clientSecret === null ? null : await this.installations.authenticate(clientId, clientSecret);
    if (!client) throw new OAuthError('invalid_client', 'The client credentials are not valid');
    return client;
  }
}

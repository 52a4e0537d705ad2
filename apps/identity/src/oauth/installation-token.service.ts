import { ACCESS_TOKEN_SECONDS, appRole, type Scope } from '@crm/contracts';
import { newId } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { TokenSigner } from '../sessions/token-signer.js';
import { OAuthInstallationRepository } from './client.repository.js';
import type { TokenAnswerView } from './oauth.dto.js';
import { OAuthError } from './oauth-error.js';
import { type PresentedClient, scopesOfToken } from './token-request.js';
import { appToken } from './user-token.service.js';

/** Tokens with which an installed app calls the API as itself (RFC 6749, section 4.4). */
@Injectable()
export class InstallationTokenService {
  constructor(
    private readonly installations: OAuthInstallationRepository,
    private readonly signer: TokenSigner,
  ) {}

  /** @throws OAuthError invalid_client, invalid_scope; unauthorized_client while the workspace is suspended */
  async issue(client: PresentedClient, wanted: readonly Scope[] | undefined): Promise<TokenAnswerView> {
    // Before the installation is read: whatever ends it after that has a later cut-off, and ends this token too.
    const tokenId = newId();
    const { installationId, tenantId, appKey, sandbox, scopes: granted } = await this.authenticate(client);
    if (!this.signer.issuesFor(tenantId)) throw new OAuthError('unauthorized_client', 'The workspace is suspended');
    const scopes = scopesOfToken(wanted, granted);
    const app = { tenantId, installationId, appKey, sandbox, scopes, seconds: ACCESS_TOKEN_SECONDS };
    // The session is this one token, so that it can be revoked alone.
    return appToken(this.signer, tokenId, { ...app, sub: installationId, roles: [appRole(appKey)], sid: tokenId });
  }

  /** @throws OAuthError invalid_client, the same for every reason */
  async authenticate({ clientId, clientSecret }: PresentedClient) {
    const client = clientSecret === null ? null : await this.installations.authenticate(clientId, clientSecret);
    if (!client) throw new OAuthError('invalid_client', "The client credentials aren't valid");
    return client;
  }
}

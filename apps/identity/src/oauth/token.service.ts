import { ACCESS_TOKEN_SECONDS, appRole, type Scope } from '@crm/contracts';
import { newId } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { TokenSigner } from '../sessions/token-signer.js';
import { OAuthInstallationRepository } from './client.repository.js';
import { OAuthError } from './oauth-error.js';
import { type Holder, type Introspection, OwnTokenService } from './own-token.service.js';
import type { TokenAnswerView } from './token.dto.js';
import {
  type ClientCall,
  GuessLimit,
  type PresentedClient,
  parseScopes,
  presentedClient,
  scopesOfToken,
} from './token-request.js';
import { appToken, UserTokenService } from './user-token.service.js';

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
    const { installationId, tenantId, appKey, scopes: granted } = await this.authenticate(client);
    if (!this.signer.issuesFor(tenantId)) throw new OAuthError('unauthorized_client', 'The workspace is suspended');
    const scopes = scopesOfToken(wanted, granted);
    const app = { tenantId, installationId, appKey, scopes, seconds: ACCESS_TOKEN_SECONDS };
    // The session is this one token, so that it can be revoked alone.
    return appToken(this.signer, tokenId, { ...app, sub: installationId, roles: [appRole(appKey)], sid: tokenId });
  }

  /** @throws OAuthError invalid_client, the same for every reason */
  async authenticate({ clientId, clientSecret }: PresentedClient) {
    const client = clientSecret === null ? null : await this.installations.authenticate(clientId, clientSecret);
    if (!client) throw new OAuthError('invalid_client', 'The client credentials are not valid');
    return client;
  }
}

/** What the token endpoint and its neighbours do, behind the limit of failed attempts. */
@Injectable()
export class TokenService {
  constructor(
    private readonly limit: GuessLimit,
    private readonly installationTokens: InstallationTokenService,
    private readonly userTokens: UserTokenService,
    private readonly ownTokens: OwnTokenService,
  ) {}

  /** @throws OAuthError, PlatformError RATE_LIMITED */
  async issue(call: ClientCall): Promise<TokenAnswerView> {
    const grantType = call.parameters.get('grant_type');
    return this.attempt(call, async (client) => {
      switch (grantType) {
        case 'client_credentials':
          return this.installationTokens.issue(client, parseScopes(call.parameters.find('scope')));
        case 'authorization_code':
          return this.userTokens.exchange(publicClient(client), call);
        case 'refresh_token':
          return this.userTokens.refresh(publicClient(client), call);
        default:
          throw new OAuthError('unsupported_grant_type', 'The grant type is not supported');
      }
    });
  }

  /** @throws OAuthError, PlatformError RATE_LIMITED */
  async revoke(call: ClientCall): Promise<void> {
    const token = call.parameters.get('token');
    await this.attempt(call, async (client) => this.ownTokens.revoke(await this.holderOf(client), token, call.origin));
  }

  /** @throws OAuthError, PlatformError RATE_LIMITED */
  async introspect(call: ClientCall): Promise<Introspection> {
    const token = call.parameters.get('token');
    return this.attempt(call, async (client) =>
      // Never for a public client, which anybody can pretend to be (RFC 7662, section 2.1).
      this.ownTokens.introspect(await this.installationTokens.authenticate(client), token),
    );
  }

  private attempt<T>(call: ClientCall, work: (client: PresentedClient) => Promise<T>): Promise<T> {
    const client = presentedClient(call.header, call.parameters);
    return this.limit.attempt(client.clientId, call.origin.address, () => work(client));
  }

  private async holderOf(client: PresentedClient): Promise<Holder> {
    if (client.clientSecret === null) return { kind: 'app', appKey: client.clientId };
    return { kind: 'installation', client: await this.installationTokens.authenticate(client) };
  }
}

/**
 * The app of a call for a user. Apps have no secret; one that is sent proves nothing here and is a mistake.
 * @throws OAuthError
 */
function publicClient({ clientId, clientSecret }: PresentedClient): string {
  if (clientSecret === null) return clientId;
  throw new OAuthError(
    'unauthorized_client',
    'The client of this grant type is the app, by its key and without a secret',
  );
}

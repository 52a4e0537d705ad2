import { ACCESS_TOKEN_SECONDS, AUDIENCES, appRole, type Scope } from '@crm/contracts';
import { newId } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { RequestOrigin } from '../audit/request-origin.decorator.js';
import { TokenSigner } from '../sessions/token-signer.js';
import { OAuthInstallationRepository } from './client.repository.js';
import { OAuthError } from './oauth-error.js';
import { type Holder, type Introspection, OwnTokenService } from './own-token.service.js';
import type { TokenAnswer } from './token.dto.js';
import {
  GuessLimit,
  type Parameters,
  type PresentedClient,
  parseScopes,
  presentedClient,
  scopesOfToken,
} from './token-request.js';
import { UserTokenService } from './user-token.service.js';

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

/** A call to the token endpoint or a neighbour. */
export interface ClientCall {
  /** `Authorization` */
  readonly header: string | undefined;
  readonly parameters: Parameters;
  /** Where the call comes from. */
  readonly origin: RequestOrigin;
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
  async issue(call: ClientCall): Promise<TokenAnswer> {
    const grantType = call.parameters.get('grant_type');
    return this.attempt(call, async (client) => {
      switch (grantType) {
        case 'client_credentials':
          return this.installationTokens.issue(client, parseScopes(call.parameters.find('scope')));
        case 'authorization_code':
          return this.exchange(publicClient(client), call);
        case 'refresh_token':
          return this.refresh(publicClient(client), call);
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

  private exchange(clientId: string, { parameters, origin }: ClientCall): Promise<TokenAnswer> {
    return this.userTokens.exchange({
      clientId,
      code: parameters.get('code'),
      redirectUri: parameters.get('redirect_uri'),
      verifier: parameters.get('code_verifier'),
      installationId: parameters.find('installation_id'),
      origin,
    });
  }

  private refresh(clientId: string, { parameters, origin }: ClientCall): Promise<TokenAnswer> {
    return this.userTokens.refresh({
      clientId,
      refreshToken: parameters.get('refresh_token'),
      scopes: parseScopes(parameters.find('scope')),
      installationId: parameters.find('installation_id'),
      origin,
    });
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

import { type Principal, TokenVerifier } from '@crm/access';
import { ACCESS_TOKEN_SECONDS, AUDIENCES, appRole, PlatformError, type Scope } from '@crm/contracts';
import { Database, newId, type TransactionOrigin } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { decodeJwt } from 'jose';
import type { RequestOrigin } from '../audit/request-origin.decorator.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { RevocationService } from '../sessions/revocation.service.js';
import { TokenSigner } from '../sessions/signing-key.service.js';
import { type AuthenticatedClient, OAuthInstallationRepository } from './client.repository.js';
import { GrantRepository, GrantTokenRepository, parseGrantText } from './grant.repository.js';
import { GrantService } from './grant.service.js';
import type { TokenAnswerView } from './oauth.dto.js';
import { OAuthError } from './oauth-error.js';
import {
  type ClientCall,
  GuessLimit,
  type PresentedClient,
  parseScopes,
  presentedClient,
  scopesOfToken,
} from './token-request.js';
import { appToken, UserTokenService } from './user-token.service.js';

/** Whose tokens a client may ask about: an installation with its secret, or an app, which is public, by its key alone. */
export type Holder =
  | { readonly kind: 'installation'; readonly client: AuthenticatedClient }
  | { readonly kind: 'app'; readonly appKey: string };

/** An answer about a token (RFC 7662, section 2.2). */
export type Introspection =
  | { readonly active: false }
  | ({ readonly active: true } & Readonly<Record<string, unknown>>);

/** What clients ask and say about their own tokens. */
@Injectable()
export class OwnTokenService {
  constructor(
    private readonly database: Database,
    private readonly verifier: TokenVerifier,
    private readonly grants: GrantRepository,
    private readonly tokens: GrantTokenRepository,
    private readonly ending: GrantService,
    private readonly revocations: RevocationService,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  /**
   * Ends a token: that of a user with everything that the app may do for them, that of the installation alone. One that is not
   * valid needs no ending (RFC 7009, section 2.2).
   * @throws OAuthError unauthorized_client for a token of another client
   */
  async revoke(holder: Holder, token: string, from: RequestOrigin): Promise<void> {
    const refreshToken = parseGrantText(token);
    if (refreshToken) {
      const { tenantId, grantId } = refreshToken;
      const grant = await this.database.transaction(tenantId, async (tx) =>
        (await this.tokens.exists(tx, token, grantId)) ? this.grants.find(tx, grantId) : null,
      );
      if (!grant) return;
      assertOwn(holder, grant);
      await this.ending.end(byApp(from, tenantId, grant.appKey), grantId);
      return;
    }
    const principal = await this.verify(token);
    if (principal?.kind !== 'app' || principal.sessionId === undefined) return;
    assertOwn(holder, principal);
    const { tenantId, sessionId, appKey } = principal;
    if (await this.ending.end(byApp(from, tenantId, appKey), sessionId)) return;
    await this.database.transaction(tenantId, (tx) => this.revocations.record(tx, 'session', sessionId));
    await this.revocations.publishPending();
  }

  /** Describes a token of the client's installation, of whichever kind; any other is not active. */
  async introspect(client: AuthenticatedClient, token: string): Promise<Introspection> {
    const refreshToken = parseGrantText(token);
    return refreshToken
      ? this.describeRefreshToken(client, refreshToken.tenantId, refreshToken.grantId, token)
      : this.describeAccessToken(client, token);
  }

  private async describeRefreshToken(
    client: AuthenticatedClient,
    tenantId: string,
    grantId: string,
    token: string,
  ): Promise<Introspection> {
    const grant = await this.database.transaction(tenantId, async (tx) => {
      const found = await this.grants.find(tx, grantId);
      return found && (await this.tokens.isUsable(tx, token, grantId)) ? found : null;
    });
    if (!grant || grant.installationId !== client.installationId) return { active: false };
    return {
      active: true,
      client_id: grant.appKey,
      sub: grant.userId,
      scope: grant.scopes.join(' '),
      exp: seconds(grant.expiresAt),
      iat: seconds(grant.createdAt),
      iss: this.config.service.issuer,
      tenant_id: tenantId,
      installation_id: grant.installationId,
    };
  }

  private async describeAccessToken(client: AuthenticatedClient, token: string): Promise<Introspection> {
    const principal = await this.verify(token);
    if (principal?.kind !== 'app' || principal.installationId !== client.installationId) return { active: false };
    const { iss, aud, exp, iat, jti } = decodeJwt(token);
    const { userId, tenantId, installationId, appKey, scopes } = principal;
    const isOwn = userId === installationId;
    return {
      active: true,
      token_type: 'Bearer',
      client_id: isOwn ? client.clientId : appKey,
      sub: userId,
      scope: scopes.join(' '),
      iss,
      aud,
      exp,
      iat,
      jti,
      tenant_id: tenantId,
      installation_id: installationId,
    };
  }

  /** @returns undefined for a token that nobody can use */
  private async verify(token: string): Promise<Principal | undefined> {
    try {
      return await this.verifier.verify(token, [AUDIENCES.api]);
    } catch (error) {
      if (error instanceof PlatformError && error.status === 401) return undefined;
      throw error;
    }
  }
}

/** Who acts, for the audit trail. */
const byApp = (from: RequestOrigin, tenantId: string, appKey: string | undefined): TransactionOrigin => ({
  ...from,
  tenantId,
  kind: 'app',
  ...(appKey !== undefined && { appKey }),
});

/** @throws OAuthError unauthorized_client */
function assertOwn(holder: Holder, of: { readonly appKey?: string; readonly installationId?: string }): void {
  const isOwn =
    holder.kind === 'app' ? of.appKey === holder.appKey : of.installationId === holder.client.installationId;
  if (!isOwn) throw new OAuthError('unauthorized_client', 'The token was issued to another client');
}

const seconds = (time: Date): number => Math.floor(time.getTime() / 1000);

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
          throw new OAuthError('unsupported_grant_type', 'Unsupported grant type');
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
    // Strangers bring codes, and the server of an app presents those of all its tenants (decision record 0196).
    if (client.clientSecret === null) return work(client);
    return this.limit.attempt(client.clientId, call.origin.address, () => work(client));
  }

  private async holderOf(client: PresentedClient): Promise<Holder> {
    if (client.clientSecret === null) return { kind: 'app', appKey: client.clientId };
    return { kind: 'installation', client: await this.installationTokens.authenticate(client) };
  }
}

/** Apps have no secret: one that is sent proves nothing here and is a mistake. @throws OAuthError */
function publicClient({ clientId, clientSecret }: PresentedClient): string {
  if (clientSecret === null) return clientId;
  throw new OAuthError('unauthorized_client', "For this grant type, send the app's key as client_id and no secret");
}

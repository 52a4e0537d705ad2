import { type Principal, TokenVerifier } from '@crm/access';
import { AUDIENCES, PlatformError } from '@crm/contracts';
import { Database, type TransactionOrigin } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { decodeJwt } from 'jose';
import type { RequestOrigin } from '../audit/request-origin.decorator.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { RevocationService } from '../sessions/revocation.service.js';
import { type AuthenticatedClient } from './client.repository.js';
import { GrantRepository, parseGrantText } from './grant.repository.js';
import { GrantService } from './grant.service.js';
import { GrantTokenRepository } from './grant-token.repository.js';
import { OAuthError } from './oauth-error.js';

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

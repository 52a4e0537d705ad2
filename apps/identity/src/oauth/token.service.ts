import { Injectable } from '@nestjs/common';
import { InstallationTokenService } from './installation-token.service.js';
import type { TokenAnswerView } from './oauth.dto.js';
import { OAuthError } from './oauth-error.js';
import { type Holder, type Introspection, OwnTokenService } from './own-token.service.js';
import { type ClientCall, GuessLimit, type PresentedClient, parseScopes, presentedClient } from './token-request.js';
import { UserTokenService } from './user-token.service.js';

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

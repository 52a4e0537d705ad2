import { AUDIENCES, coversScope, EMBED_TOKEN_SECONDS, isScope, PlatformError } from '@crm/contracts';
import { newId } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { TokenSigner } from '../../keys/token-signer.js';
import { EmbedClientService } from '../embed-client/embed-client.service.js';
import { EmbedUserService, type HostUser } from '../embed-user/embed-user.service.js';

export interface EmbedRequest extends HostUser {
  clientId: string;
  clientSecret: string;
  /** All that the app was granted when left out. */
  scopes?: readonly string[];
}

/** Exchanges embed credentials and a host user for a token of the tenant of the app. */
@Injectable()
export class EmbedTokenService {
  constructor(
    private readonly clients: EmbedClientService,
    private readonly users: EmbedUserService,
    private readonly signer: TokenSigner,
  ) {}

  /**
   * @throws PlatformError INVALID_EMBED_CREDENTIALS, EMBED_SCOPE_DENIED (also when the app does not embed any more), EMBED_IDENTITY_CONFLICT, EMBED_USER_DISABLED
   */
  async mint(request: EmbedRequest): Promise<{ embedToken: string; expiresIn: number }> {
    const tokenId = newId();
    const client = await this.clients.authenticate(request.clientId, request.clientSecret);
    if (client.allowedOrigins.length === 0 && client.scopes.length === 0) {
      throw new PlatformError('EMBED_SCOPE_DENIED', 'The published version of the app does not embed');
    }
    const scopes = request.scopes ?? client.scopes;
    const denied = scopes.find((scope) => !isScope(scope) || !coversScope(client.scopes, scope));
    if (denied !== undefined) throw new PlatformError('EMBED_SCOPE_DENIED', 'A scope was not granted to the app');
    const user = await this.users.resolve(client, request);
    const embedToken = await this.signer.sign(
      {
        aud: AUDIENCES.api,
        sub: user.id,
        tid: client.tenantId,
        roles: [...user.roles],
        scopes: [...new Set(scopes)],
        embed: true,
        embed_app_id: client.appKey,
        act: { sub: client.appKey },
      },
      EMBED_TOKEN_SECONDS,
      tokenId,
    );
    return { embedToken, expiresIn: EMBED_TOKEN_SECONDS };
  }
}

import { AUDIENCES, coversScope, EMBED_TOKEN_SECONDS, isScope, PlatformError } from '@crm/contracts';
import { newId } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { User } from '../people/people.entity.js';
import { normaliseEmail } from '../people/user.service.js';
import { TokenSigner } from '../sessions/token-signer.js';
import { EmbedConflictService } from './embed-conflict.service.js';
import { EmbedMintRepository, type KnownHostUser } from './embed-mint.repository.js';
import { EmbedUserService, type HostUser } from './embed-user.service.js';
import type { MintClient } from './embedding.entity.js';

export interface EmbedRequest extends HostUser {
  clientId: string;
  /** Of the secret: see `fingerprintOf`. */
  fingerprint: string;
  /** All that the app was granted when left out. */
  scopes?: readonly string[];
}

/** Exchanges embed credentials and a host user for a token of the tenant of the app. */
@Injectable()
export class EmbedTokenService {
  constructor(
    private readonly mints: EmbedMintRepository,
    private readonly users: EmbedUserService,
    private readonly conflicts: EmbedConflictService,
    private readonly signer: TokenSigner,
  ) {}

  /**
   * A known `sub` costs one statement. What happens to one that is not known, see {@link EmbedUserService.introduce}.
   * @throws PlatformError INVALID_EMBED_CREDENTIALS, EMBED_SCOPE_DENIED (also when the app does not embed any more, and for no
   *   scope at all), EMBED_IDENTITY_CONFLICT, EMBED_USER_DISABLED, EMAIL_NOT_VERIFIED, WORKSPACE_SUSPENDED,
   *   RATE_LIMITED
   */
  async mint(request: EmbedRequest): Promise<{ embedToken: string; expiresIn: number }> {
    const tokenId = newId();
    const presented = { ...request, email: normaliseEmail(request.email) };
    const { client, user: known } = await this.mints.read(presented);
    this.signer.assertIssuesFor(client.tenantId);
    const scopes = grantedScopes(client, request.scopes);
    if (known) await this.assertAdmitted(client, known, presented.email);
    const { id, roles }: Pick<User, 'id' | 'roles'> = known ?? (await this.users.introduce(client, presented));
    const embedToken = await this.signer.sign(
      {
        aud: AUDIENCES.api,
        sub: id,
        tid: client.tenantId,
        roles: [...roles],
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

  /** An address that belongs to another workspace is refused although the `sub` is known. */
  private async assertAdmitted(client: MintClient, user: KnownHostUser, email: string): Promise<void> {
    if (email !== user.email) this.conflicts.assertLeftOf(client, user.conflicts);
    if (user.belongsElsewhere) throw await this.conflicts.count(client);
    if (user.undone) throw new PlatformError('EMBED_USER_DISABLED', 'The user has undone the link to this host user');
    if (user.status === 'disabled') throw new PlatformError('EMBED_USER_DISABLED');
  }
}

/** @throws PlatformError EMBED_SCOPE_DENIED */
function grantedScopes(client: MintClient, requested: readonly string[] | undefined): readonly string[] {
  if (client.allowedOrigins.length === 0 && client.scopes.length === 0) {
    throw new PlatformError('EMBED_SCOPE_DENIED', 'The published version of the app does not embed');
  }
  const scopes = requested ?? client.scopes;
  if (scopes.length === 0) throw new PlatformError('EMBED_SCOPE_DENIED', 'A token needs at least one scope');
  const denied = scopes.find((scope) => !isScope(scope) || !coversScope(client.scopes, scope));
  if (denied !== undefined) throw new PlatformError('EMBED_SCOPE_DENIED', 'A scope was not granted to the app');
  return scopes;
}

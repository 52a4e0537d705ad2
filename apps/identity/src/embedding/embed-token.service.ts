import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import {
  AUDIENCES,
  coversScope,
  EMBED_TOKEN_SECONDS,
  isScope,
  PlatformError,
  type RpcRequest,
  rpc,
} from '@crm/contracts';
import { newId } from '@crm/database';
import { RpcHandler } from '@crm/messaging';
import { Controller, Injectable } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { normaliseEmail } from '../people/people.service.js';
import { TokenSigner } from '../sessions/signing-key.service.js';
import { EmbedClientService } from './embed-client.service.js';
import { EmbedConflictService, embedConflicts } from './embed-conflict.service.js';
import { EmbedUserService, type HostUser } from './embed-user.service.js';
import type { MintClient } from './embedding.entity.js';
import { EmbedMintRepository, type KnownHostUser, type Presented } from './embedding.repository.js';

export interface EmbedRequest extends HostUser {
  clientId: string;
  /** The secret's fingerprint: see `fingerprintOf`. */
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
   * @throws PlatformError INVALID_EMBED_CREDENTIALS, EMBED_APP_ENDED, EMBED_SCOPE_DENIED (also when the app does not embed any more, and for no
   *   scope at all), EMBED_IDENTITY_CONFLICT, EMBED_USER_DISABLED, ROLE_NOT_GRANTABLE, EMAIL_NOT_VERIFIED,
   *   WORKSPACE_SUSPENDED, RATE_LIMITED
   */
  async mint(request: EmbedRequest): Promise<{ embedToken: string; expiresIn: number }> {
    const tokenId = newId();
    const presented = { ...request, email: normaliseEmail(request.email) };
    const { client, user: known } = await this.mints.read(presented);
    this.signer.assertIssuesFor(client.tenantId);
    const scopes = grantedScopes(client, request.scopes);
    const user = known ?? (await this.introduced(client, presented));
    await this.assertAdmitted(client, user, presented.email);
    if (user.outdated) await this.users.follow(client, user.id, presented);
    if (user.addressTaken) embedConflicts.inc({ outcome: 'address_taken' });
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

  /** Read like one who was known already: what has changed in the meantime counts. */
  private async introduced(client: MintClient, presented: HostUser & Presented): Promise<KnownHostUser> {
    await this.users.introduce(client, presented);
    const { user } = await this.mints.read(presented);
    // Erased in the meantime.
    if (!user) throw new PlatformError('EMBED_USER_DISABLED');
    return user;
  }

  /** Another address than before is refused although the `sub` is known, if it belongs to a person of other workspaces. */
  private async assertAdmitted(client: MintClient, user: KnownHostUser, email: string): Promise<void> {
    if (email !== user.email) this.conflicts.assertLeftOf(client, user.conflicts);
    if (user.belongsElsewhere) throw await this.conflicts.count(client);
    if (user.undone) throw new PlatformError('EMBED_USER_DISABLED', 'The user has undone the link to this host user');
    if (user.status === 'disabled') throw new PlatformError('EMBED_USER_DISABLED');
    if (user.byAddress) this.users.assertReached(client, user);
  }
}

/** @throws PlatformError EMBED_SCOPE_DENIED */
function grantedScopes(client: MintClient, requested: readonly string[] | undefined): readonly string[] {
  if (client.allowedOrigins.length === 0 && client.scopes.length === 0) {
    throw new PlatformError('EMBED_SCOPE_DENIED', "The app's published version has no embed section");
  }
  const scopes = requested ?? client.scopes;
  if (scopes.length === 0) throw new PlatformError('EMBED_SCOPE_DENIED', 'Request at least one scope');
  const denied = scopes.find((scope) => !isScope(scope) || !coversScope(client.scopes, scope));
  if (denied !== undefined)
    throw new PlatformError('EMBED_SCOPE_DENIED', 'Request only scopes that were granted to the app');
  return scopes;
}

@Controller()
export class EmbedRpc {
  constructor(
    private readonly clients: EmbedClientService,
    private readonly tokens: EmbedTokenService,
  ) {}

  @RpcHandler(rpc.identity.issueEmbedCredentials)
  @Access({ right: 'administer', proof: true })
  async issue(
    @Payload() request: RpcRequest<typeof rpc.identity.issueEmbedCredentials>,
    @CurrentPrincipal() principal: Principal,
  ) {
    return this.clients.issue(principal, request);
  }

  @RpcHandler(rpc.identity.describeEmbedCredentials)
  @Access({ right: 'administer', proof: false })
  async describe(
    @Payload() { appKey }: RpcRequest<typeof rpc.identity.describeEmbedCredentials>,
    @CurrentPrincipal() principal: Principal,
  ) {
    return { credentials: await this.clients.describe(principal, appKey) };
  }

  @RpcHandler(rpc.identity.revokePreviousEmbedSecret)
  @Access({ right: 'administer', proof: false })
  async revokePrevious(
    @Payload() { appKey }: RpcRequest<typeof rpc.identity.revokePreviousEmbedSecret>,
    @CurrentPrincipal() principal: Principal,
  ) {
    return { revoked: await this.clients.revokePrevious(principal, appKey) };
  }

  @RpcHandler(rpc.identity.endEmbedCredentials)
  @Access({ right: 'administer', proof: false })
  async end(
    @Payload() { appKey }: RpcRequest<typeof rpc.identity.endEmbedCredentials>,
    @CurrentPrincipal() principal: Principal,
  ) {
    return { ended: await this.clients.end(principal, appKey) };
  }

  @RpcHandler(rpc.identity.updateEmbedSettings)
  async update(request: RpcRequest<typeof rpc.identity.updateEmbedSettings>) {
    return { updated: await this.clients.update(request) };
  }

  @RpcHandler(rpc.identity.getEmbedOrigins)
  async origins({ clientId }: RpcRequest<typeof rpc.identity.getEmbedOrigins>) {
    return { allowedOrigins: await this.clients.allowedOrigins(clientId) };
  }

  @RpcHandler(rpc.identity.mintEmbedToken)
  async mint(request: RpcRequest<typeof rpc.identity.mintEmbedToken>) {
    return this.tokens.mint(request);
  }
}

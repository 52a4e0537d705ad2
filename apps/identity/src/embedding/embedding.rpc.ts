import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { RecentProof } from '../sessions/proof.service.js';
import { EmbedClientService } from './embed-client.service.js';
import { EmbedTokenService } from './embed-token.service.js';

@Controller()
export class EmbedClientRpc {
  constructor(
    private readonly clients: EmbedClientService,
    private readonly proof: RecentProof,
  ) {}

  @RpcHandler(rpc.identity.issueEmbedCredentials)
  @Access({ right: 'administer' })
  async issue(
    @Payload() request: RpcRequest<typeof rpc.identity.issueEmbedCredentials>,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RpcResponse<typeof rpc.identity.issueEmbedCredentials>> {
    // The previous secret stops working: a stolen access token must not be enough.
    await this.proof.assert(principal);
    return this.clients.issue(principal, request);
  }

  @RpcHandler(rpc.identity.describeEmbedCredentials)
  @Access({ right: 'administer' })
  async describe(
    @Payload() { appKey }: RpcRequest<typeof rpc.identity.describeEmbedCredentials>,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RpcResponse<typeof rpc.identity.describeEmbedCredentials>> {
    return { credentials: await this.clients.describe(principal, appKey) };
  }

  @RpcHandler(rpc.identity.revokePreviousEmbedSecret)
  @Access({ right: 'administer' })
  async revokePrevious(
    @Payload() { appKey }: RpcRequest<typeof rpc.identity.revokePreviousEmbedSecret>,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RpcResponse<typeof rpc.identity.revokePreviousEmbedSecret>> {
    return { revoked: await this.clients.revokePrevious(principal, appKey) };
  }

  @RpcHandler(rpc.identity.updateEmbedSettings)
  async update(
    request: RpcRequest<typeof rpc.identity.updateEmbedSettings>,
  ): Promise<RpcResponse<typeof rpc.identity.updateEmbedSettings>> {
    return { updated: await this.clients.update(request) };
  }

  @RpcHandler(rpc.identity.getEmbedOrigins)
  async origins({
    clientId,
  }: RpcRequest<typeof rpc.identity.getEmbedOrigins>): Promise<RpcResponse<typeof rpc.identity.getEmbedOrigins>> {
    return { allowedOrigins: await this.clients.allowedOrigins(clientId) };
  }
}

@Controller()
export class EmbedTokenRpc {
  constructor(private readonly tokens: EmbedTokenService) {}

  @RpcHandler(rpc.identity.mintEmbedToken)
  async mint(
    request: RpcRequest<typeof rpc.identity.mintEmbedToken>,
  ): Promise<RpcResponse<typeof rpc.identity.mintEmbedToken>> {
    return this.tokens.mint(request);
  }
}

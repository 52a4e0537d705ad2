import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { type RpcRequest, rpc } from '@crm/contracts';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { EmbedClientService } from './embed-client.service.js';
import { EmbedTokenService } from './embed-token.service.js';

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

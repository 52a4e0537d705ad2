import { type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { type RpcContext, RpcHandler } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { EmbedClientService } from './embed-client.service.js';

@Injectable()
export class EmbedClientRpc {
  constructor(private readonly clients: EmbedClientService) {}

  @RpcHandler(rpc.identity.issueEmbedCredentials)
  async issue(
    request: RpcRequest<typeof rpc.identity.issueEmbedCredentials>,
    context: RpcContext,
  ): Promise<RpcResponse<typeof rpc.identity.issueEmbedCredentials>> {
    return this.clients.issue(context.principal, request);
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

import { type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { EmbedTokenService } from './embed-token.service.js';

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

import { type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { InternalTokenService } from './internal-token.service.js';

@Controller()
export class InternalTokenRpc {
  constructor(private readonly tokens: InternalTokenService) {}

  @RpcHandler(rpc.identity.mintInternalToken)
  async mint(
    request: RpcRequest<typeof rpc.identity.mintInternalToken>,
  ): Promise<RpcResponse<typeof rpc.identity.mintInternalToken>> {
    return this.tokens.mint(request);
  }
}

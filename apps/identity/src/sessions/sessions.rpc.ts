import { Access } from '@crm/access';
import { type RpcRequest, rpc } from '@crm/contracts';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { InternalTokenService } from './internal-token.service.js';
import { SigningKeyService } from './signing-key.service.js';

@Controller()
export class SessionsRpc {
  constructor(
    private readonly tokens: InternalTokenService,
    private readonly keys: SigningKeyService,
  ) {}

  @RpcHandler(rpc.identity.mintInternalToken)
  async mint(request: RpcRequest<typeof rpc.identity.mintInternalToken>) {
    return this.tokens.mint(request);
  }

  @RpcHandler(rpc.identity.getKeys)
  async getKeys() {
    const keys = await this.keys.publicKeys();
    return { keys: keys.map((key) => ({ ...key })) };
  }

  /** Everyone who may call a service may ask, except with an API key; the guard answers. */
  @RpcHandler(rpc.identity.assertProof)
  @Access({ right: 'read', app: true, embed: true, proof: true })
  async assert(_request: RpcRequest<typeof rpc.identity.assertProof>): Promise<object> {
    return {};
  }
}

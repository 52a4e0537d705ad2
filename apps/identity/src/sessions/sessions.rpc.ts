import { Access } from '@crm/access';
import { type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { InternalTokenService } from './internal-token.service.js';
import { SigningKeyService } from './signing-key.service.js';

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

@Controller()
export class KeyRpc {
  constructor(private readonly keys: SigningKeyService) {}

  @RpcHandler(rpc.identity.getKeys)
  async getKeys(): Promise<RpcResponse<typeof rpc.identity.getKeys>> {
    const keys = await this.keys.publicKeys();
    return { keys: keys.map((key) => ({ ...key })) };
  }
}

@Controller()
export class ProofRpc {
  /** Everyone who may call a service may ask, except with an API key; the guard answers. */
  @RpcHandler(rpc.identity.assertProof)
  @Access({ right: 'read', app: true, embed: true, proof: true })
  async assert(_request: RpcRequest<typeof rpc.identity.assertProof>): Promise<object> {
    return {};
  }
}

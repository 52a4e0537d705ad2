import { type RpcResponse, rpc } from '@crm/contracts';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { SigningKeyService } from './signing-key.service.js';

@Controller()
export class KeyRpc {
  constructor(private readonly keys: SigningKeyService) {}

  @RpcHandler(rpc.identity.getKeys)
  async getKeys(): Promise<RpcResponse<typeof rpc.identity.getKeys>> {
    const keys = await this.keys.publicKeys();
    return { keys: keys.map((key) => ({ ...key })) };
  }
}

import { type RpcRequest, rpc } from '@crm/contracts';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { KeyExchangeService } from './key-exchange.service.js';

@Controller()
export class KeyExchangeRpc {
  constructor(private readonly keys: KeyExchangeService) {}

  @RpcHandler(rpc.identity.exchangeApiKey)
  async exchange(request: RpcRequest<typeof rpc.identity.exchangeApiKey>) {
    return this.keys.exchange(request);
  }
}

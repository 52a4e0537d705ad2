import { type RpcRequest, rpc, type TokenPair } from '@crm/contracts';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { OperatorService } from './operator.service.js';

@Controller()
export class OperatorRpc {
  constructor(private readonly operators: OperatorService) {}

  @RpcHandler(rpc.identity.loginOperator)
  async signIn({ email, password, address }: RpcRequest<typeof rpc.identity.loginOperator>): Promise<TokenPair> {
    return this.operators.signIn(email, password, address);
  }

  @RpcHandler(rpc.identity.refreshOperator)
  async refresh({ refreshToken }: RpcRequest<typeof rpc.identity.refreshOperator>): Promise<TokenPair> {
    return this.operators.refresh(refreshToken);
  }
}

import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { type RpcRequest, rpc } from '@crm/contracts';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { HookSecretActService } from './hook-secret-act.service.js';

@Controller()
export class HookSecretActRpc {
  constructor(private readonly acts: HookSecretActService) {}

  @RpcHandler(rpc.identity.admitHookSecretAct)
  @Access({ right: 'administer' })
  async admit(
    @Payload() request: RpcRequest<typeof rpc.identity.admitHookSecretAct>,
    @CurrentPrincipal() principal: Principal,
  ): Promise<object> {
    await this.acts.admit(principal, request);
    return {};
  }
}

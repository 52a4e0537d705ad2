import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { EmbedConflictService } from './embed-conflict.service.js';

@Controller()
export class EmbedConflictRpc {
  constructor(private readonly conflicts: EmbedConflictService) {}

  @RpcHandler(rpc.identity.listEmbedConflicts)
  @Access({ right: 'administer' })
  async list(
    @Payload() _request: RpcRequest<typeof rpc.identity.listEmbedConflicts>,
    @CurrentPrincipal() operator: Principal,
  ): Promise<RpcResponse<typeof rpc.identity.listEmbedConflicts>> {
    return { data: await this.conflicts.list(operator) };
  }
}

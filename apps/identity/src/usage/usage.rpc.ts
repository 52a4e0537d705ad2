import { type RpcRequest, rpc } from '@crm/contracts';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { UsageService } from './usage.service.js';

@Controller()
export class UsageRpc {
  constructor(private readonly usage: UsageService) {}

  @RpcHandler(rpc.identity.noteStorageUse)
  async note({ tenantId, ...use }: RpcRequest<typeof rpc.identity.noteStorageUse>): Promise<object> {
    await this.usage.note(tenantId, use);
    return {};
  }
}

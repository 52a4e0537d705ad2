import { type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { Database } from '@crm/database';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { StorageUseRepository } from './storage-use.repository.js';

type Contract = typeof rpc.customObjects.getStorageUse;

@Controller()
export class StorageRpc {
  constructor(
    private readonly database: Database,
    private readonly uses: StorageUseRepository,
  ) {}

  @RpcHandler(rpc.customObjects.getStorageUse)
  async use({ tenantId }: RpcRequest<Contract>): Promise<RpcResponse<Contract>> {
    const [use, customObjects] = await Promise.all([
      this.uses.read(this.database, tenantId),
      this.uses.countObjects(this.database, tenantId),
    ]);
    return { ...use, customObjects };
  }
}

import { type RpcRequest, type RpcResponse, rpc, type TenantView } from '@crm/contracts';
import { Database } from '@crm/database';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { TenantService } from './tenant.service.js';
import { UserRepository } from './user.repository.js';

@Controller()
export class TenantRpc {
  constructor(
    private readonly tenants: TenantService,
    private readonly database: Database,
    private readonly users: UserRepository,
  ) {}

  @RpcHandler(rpc.identity.getTenant)
  async get(request: RpcRequest<typeof rpc.identity.getTenant>): Promise<TenantView> {
    return this.tenants.getWithLimits(request.tenantId);
  }

  @RpcHandler(rpc.identity.findUsers)
  async findUsers({
    tenantId,
    userIds,
  }: RpcRequest<typeof rpc.identity.findUsers>): Promise<RpcResponse<typeof rpc.identity.findUsers>> {
    return { userIds: await this.database.transaction(tenantId, (tx) => this.users.listPresent(tx, userIds)) };
  }
}

import { type RpcRequest, rpc, type TenantView } from '@crm/contracts';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { TenantService } from './people.service.js';

@Controller()
export class TenantRpc {
  constructor(private readonly tenants: TenantService) {}

  @RpcHandler(rpc.identity.getTenant)
  async get(request: RpcRequest<typeof rpc.identity.getTenant>): Promise<TenantView> {
    return this.tenants.get(request.tenantId);
  }
}

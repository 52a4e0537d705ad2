import { Access } from '@crm/access';
import { type RpcRequest, rpc, type TenantView } from '@crm/contracts';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { TenantService } from './tenant.service.js';

@Controller()
export class TenantRpc {
  constructor(private readonly tenants: TenantService) {}

  @RpcHandler(rpc.identity.getTenant)
  async get(request: RpcRequest<typeof rpc.identity.getTenant>): Promise<TenantView> {
    return this.tenants.get(request.tenantId);
  }

  /** Only operators have the token that this contract asks for: its one caller is marketplace-admin. */
  @RpcHandler(rpc.identity.setTenantPlan)
  @Access({ right: 'administer' })
  async setPlan(request: RpcRequest<typeof rpc.identity.setTenantPlan>): Promise<TenantView> {
    return this.tenants.setPlan(request.tenantId, request.plan);
  }
}

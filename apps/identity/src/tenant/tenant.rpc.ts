import { PlatformError, type RpcRequest, rpc, type TenantView } from '@crm/contracts';
import { type RpcContext, RpcHandler } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { TenantService } from './tenant.service.js';

@Injectable()
export class TenantRpc {
  constructor(private readonly tenants: TenantService) {}

  @RpcHandler(rpc.identity.getTenant)
  async get(request: RpcRequest<typeof rpc.identity.getTenant>): Promise<TenantView> {
    return this.tenants.get(request.tenantId);
  }

  @RpcHandler(rpc.identity.setTenantPlan)
  async setPlan(request: RpcRequest<typeof rpc.identity.setTenantPlan>, context: RpcContext): Promise<TenantView> {
    if (context.principal?.kind !== 'operator') throw new PlatformError('FORBIDDEN', 'Only operators set plans');
    return this.tenants.setPlan(request.tenantId, request.plan);
  }
}

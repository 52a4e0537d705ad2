import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { PlatformError, type RpcRequest, rpc, type TenantView } from '@crm/contracts';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { TenantService } from './tenant.service.js';

@Controller()
export class TenantRpc {
  constructor(private readonly tenants: TenantService) {}

  @RpcHandler(rpc.identity.getTenant)
  async get(request: RpcRequest<typeof rpc.identity.getTenant>): Promise<TenantView> {
    return this.tenants.get(request.tenantId);
  }

  /**
   * The request names any tenant, and administrators of tenants have the right of the rule too. So this does not rely on
   * marketplace-admin being the only caller of the contract.
   */
  @RpcHandler(rpc.identity.setTenantPlan)
  @Access({ right: 'administer' })
  async setPlan(
    @Payload() request: RpcRequest<typeof rpc.identity.setTenantPlan>,
    @CurrentPrincipal() operator: Principal,
  ): Promise<TenantView> {
    if (operator.kind !== 'operator') throw new PlatformError('FORBIDDEN', 'Only operators set plans');
    return this.tenants.setPlan(operator, request.tenantId, request.plan);
  }
}

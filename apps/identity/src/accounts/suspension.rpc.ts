import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { PlatformError, type RpcRequest, type RpcResponse, rpc, type TenantStanding } from '@crm/contracts';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { SuspensionService } from './suspension.service.js';

type Identity = typeof rpc.identity;

/** The requests name any tenant, and administrators of tenants have the right of the rule too; so each asks for an operator. */
@Controller()
@Access({ right: 'administer' })
export class SuspensionRpc {
  constructor(private readonly suspensions: SuspensionService) {}

  @RpcHandler(rpc.identity.decideTenant)
  async decide(
    @Payload() { tenantId, decision, reason }: RpcRequest<Identity['decideTenant']>,
    @CurrentPrincipal() operator: Principal,
  ): Promise<TenantStanding> {
    assertOperator(operator);
    return this.suspensions.decide(operator, tenantId, decision, reason);
  }

  @RpcHandler(rpc.identity.listSuspendedTenants)
  async list(
    @Payload() query: RpcRequest<Identity['listSuspendedTenants']>,
    @CurrentPrincipal() operator: Principal,
  ): Promise<RpcResponse<Identity['listSuspendedTenants']>> {
    assertOperator(operator);
    return this.suspensions.listSuspended(query);
  }
}

/** @throws PlatformError FORBIDDEN */
function assertOperator({ kind }: Principal): void {
  if (kind !== 'operator') throw new PlatformError('FORBIDDEN', 'Only operators decide about workspaces');
}

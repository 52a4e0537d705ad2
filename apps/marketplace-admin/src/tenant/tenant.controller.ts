import { Access, CurrentPrincipal } from '@crm/access';
import { type Principal } from '@crm/context';
import { rpc, type TenantView } from '@crm/contracts';
import { ApiGroup, Describe, IdParam } from '@crm/http';
import { Workspace } from '@crm/identity-views';
import { Rpc } from '@crm/messaging';
import { Body, Controller, Patch } from '@nestjs/common';
import { PlanInput } from './tenant.dto.js';

@ApiGroup({
  name: 'Tenants',
  description: 'Workspaces and their plans.',
})
@Controller('api/admin/tenants')
export class TenantController {
  constructor(private readonly rpc: Rpc) {}

  @Patch(':id')
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Moves a tenant to another plan',
    description: 'The limits of the new plan apply at once; what exists beyond them is kept.',
    answers: [{ status: 200, description: 'The tenant', body: () => Workspace }],
  })
  async setPlan(
    @CurrentPrincipal() principal: Principal,
    @IdParam() tenantId: string,
    @Body() { plan }: PlanInput,
  ): Promise<TenantView> {
    return this.rpc.call(rpc.identity.setTenantPlan, { tenantId, plan }, principal);
  }
}

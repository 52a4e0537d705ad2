import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, IdParam, type ListAnswer } from '@crm/http';
import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { TenantService } from '../people/tenant.service.js';
import { Workspace } from '../people/workspace.dto.js';
import { ListTenantsQuery, TenantDecisionInput, TenantStandingView } from '../suspensions/suspension.dto.js';
import { SuspensionService } from '../suspensions/suspension.service.js';
import { WorkspaceUsage } from '../usage/usage.dto.js';
import { UsageService } from '../usage/usage.service.js';
import { PlanInput } from './operator.dto.js';

@ApiGroup({
  name: 'Tenants',
  description: 'Workspaces: their plans, and suspending them.',
})
@Controller('operators/api/admin/tenants')
@Access({ right: 'administer', proof: false })
export class OperatorsTenantController {
  constructor(
    private readonly tenants: TenantService,
    private readonly suspensions: SuspensionService,
    private readonly usage: UsageService,
  ) {}

  @Get()
  @Describe({
    summary: 'List suspended workspaces',
    description: 'Last suspended first.',
    answers: [{ status: 200, description: 'The workspaces', body: () => TenantStandingView, list: true }],
  })
  async list(@Query() { state: _, ...query }: ListTenantsQuery): Promise<ListAnswer<TenantStandingView>> {
    return this.suspensions.listSuspended(query);
  }

  @Patch(':id')
  @Access({ right: 'administer', proof: true })
  @Describe({
    summary: 'Change the plan or the limits of a workspace',
    description:
      "The limits of the new plan apply immediately; what already exceeds them is kept. You can't set the plan of your linked workspace.",
    answers: [{ status: 200, description: 'The tenant', body: () => Workspace }],
    errors: ['OWN_WORKSPACE'],
  })
  async setPlan(
    @CurrentPrincipal() principal: Principal,
    @IdParam() tenantId: string,
    @Body() input: PlanInput,
  ): Promise<Workspace> {
    return this.tenants.setPlan(principal, tenantId, input);
  }

  @Get(':id/usage')
  @Describe({
    summary: 'Get the usage of a workspace',
    description: 'The limits come from its plan unless operators have changed them.',
    answers: [{ status: 200, description: 'The usage', body: () => WorkspaceUsage }],
  })
  getUsage(@IdParam() tenantId: string): Promise<WorkspaceUsage> {
    return this.usage.get(tenantId);
  }

  @Post(':id/suspend')
  @Access({ right: 'administer', proof: true })
  @Describe({
    summary: 'Suspend a workspace',
    description:
      'Within a second no token of the workspace is accepted: sessions, API keys, app tokens, and embed tokens. No one can sign in, no program gets a token, hook URLs return 404, and webhooks and workflows wait. Suspending a suspended workspace changes nothing.',
    answers: [{ status: 200, description: 'The workspace', body: () => TenantStandingView }],
    errors: ['OWN_WORKSPACE'],
  })
  async suspend(
    @CurrentPrincipal() principal: Principal,
    @IdParam() tenantId: string,
    @Body() { reason }: TenantDecisionInput,
  ): Promise<TenantStandingView> {
    return this.suspensions.decide(principal, tenantId, 'suspend', reason);
  }

  @Post(':id/reinstate')
  @Access({ right: 'administer', proof: true })
  @Describe({
    summary: 'Reinstate a workspace',
    description:
      'People sign in again and apps ask users again, because earlier tokens stay invalid. API keys and app credentials work as before, and waiting work resumes.',
    answers: [{ status: 200, description: 'The workspace', body: () => TenantStandingView }],
    errors: ['OWN_WORKSPACE'],
  })
  async reinstate(
    @CurrentPrincipal() principal: Principal,
    @IdParam() tenantId: string,
    @Body() { reason }: TenantDecisionInput,
  ): Promise<TenantStandingView> {
    return this.suspensions.decide(principal, tenantId, 'reinstate', reason);
  }
}

import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { rpc, type TenantStanding, type TenantView } from '@crm/contracts';
import { ApiGroup, Describe, IdParam, type ListAnswer } from '@crm/http';
import { Workspace } from '@crm/identity-views';
import { Rpc } from '@crm/messaging';
import { Body, Controller, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ListTenantsQuery, PlanInput, TenantDecisionInput, TenantStandingView } from './tenant.dto.js';

/** Workspaces as a whole. identity, which keeps them, checks the operator's token again and decides. */
@ApiGroup({
  name: 'Tenants',
  description: 'Workspaces: their plans, and suspending them.',
})
@Controller('api/admin/tenants')
export class TenantController {
  constructor(private readonly rpc: Rpc) {}

  @Get()
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Lists suspended workspaces',
    description: 'The last suspended first.',
    answers: [{ status: 200, description: 'The workspaces', body: () => TenantStandingView, list: true }],
  })
  async list(
    @CurrentPrincipal() principal: Principal,
    @Query() { state: _, ...query }: ListTenantsQuery,
  ): Promise<ListAnswer<TenantStandingView>> {
    return this.rpc.call(rpc.identity.listSuspendedTenants, query, principal);
  }

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

  @Post(':id/suspend')
  @HttpCode(200)
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Suspends a workspace',
    description:
      'Within a second no token of the workspace is accepted anywhere: sessions, API keys, tokens of apps and embedded ones. Nobody signs in to it, no program gets a token, its hooks answer 404, and what its webhooks and workflows have to do waits. Suspending a suspended workspace changes nothing.',
    answers: [{ status: 200, description: 'The workspace', body: () => TenantStandingView }],
    errors: ['STEP_UP_REQUIRED', 'OWN_WORKSPACE'],
  })
  async suspend(
    @CurrentPrincipal() principal: Principal,
    @IdParam() tenantId: string,
    @Body() { reason }: TenantDecisionInput,
  ): Promise<TenantStanding> {
    return this.rpc.call(rpc.identity.decideTenant, { tenantId, decision: 'suspend', reason }, principal);
  }

  @Post(':id/reinstate')
  @HttpCode(200)
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Lifts the suspension of a workspace',
    description:
      'People sign in again, and apps ask users again: no token from before is accepted. API keys and credentials of apps work as they did, and what waited goes on.',
    answers: [{ status: 200, description: 'The workspace', body: () => TenantStandingView }],
    errors: ['STEP_UP_REQUIRED', 'OWN_WORKSPACE'],
  })
  async reinstate(
    @CurrentPrincipal() principal: Principal,
    @IdParam() tenantId: string,
    @Body() { reason }: TenantDecisionInput,
  ): Promise<TenantStanding> {
    return this.rpc.call(rpc.identity.decideTenant, { tenantId, decision: 'reinstate', reason }, principal);
  }
}

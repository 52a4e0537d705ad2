import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import type { OperatorAuditPage } from '@crm/contracts';
import { Database } from '@crm/database';
import { ApiGroup, Describe, IdParam, type ListAnswer } from '@crm/http';
import { listOperatorAudit } from '@crm/operator-audit';
import { OperatorAuditQuery } from '@crm/operator-audit/dto';
import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { EmbedConflictService } from '../embedding/embed-conflict.service.js';
import { TenantService } from '../people/people.service.js';
import { Workspace } from '../people/workspace.dto.js';
import { PLATFORM_TENANT } from '../platform-tenant.js';
import { WorkspaceUsage } from '../usage/usage.dto.js';
import { UsageService } from '../usage/usage.service.js';
import {
  EmbedConflictListView,
  ListTenantsQuery,
  OperatorChangeInput,
  OperatorListView,
  OperatorView,
  PlanInput,
  TenantDecisionInput,
  TenantStandingView,
} from './operator.dto.js';
import { OperatorAdministrationService } from './operator-administration.service.js';
import { SuspensionService } from './suspension.service.js';

@ApiGroup({
  name: 'Operators',
  description: 'The people who run the platform, their roles and their sessions. They are created by a command.',
})
@Controller('operators/api/admin/operators')
@Access({ right: 'administer', proof: false })
export class OperatorController {
  constructor(private readonly administration: OperatorAdministrationService) {}

  @Get()
  @Describe({
    summary: 'Lists the operators',
    description: 'Disabled ones are included.',
    answers: [{ status: 200, description: 'The operators, oldest first', body: () => OperatorListView }],
  })
  async list(): Promise<OperatorListView> {
    return { data: await this.administration.list() };
  }

  @Patch(':id')
  @Access({ right: 'administer', proof: true })
  @Describe({
    summary: 'Changes the name, role, status or linked workspace of an operator',
    description:
      'Access tokens of the operator are revoked within a second; disabling also ends the sessions. The last active administrator stays one, and nobody changes their own link (`CONFLICT`).',
    answers: [{ status: 200, description: 'The operator', body: () => OperatorView }],
    errors: ['CONFLICT'],
  })
  async change(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: string,
    @Body() { name, role, status, linkedTenantId }: OperatorChangeInput,
  ): Promise<OperatorView> {
    const changes = {
      ...(name !== undefined && { name: name.trim() }),
      ...(role !== undefined && { role }),
      ...(status !== undefined && { status }),
      ...(linkedTenantId !== undefined && { linkedTenantId: linkedTenantId?.toLowerCase() ?? null }),
    };
    return this.administration.change(principal, id, changes);
  }

  @Delete(':id/sessions')
  @Access({ right: 'administer', proof: true })
  @Describe({
    summary: 'Ends every session of an operator',
    description: 'Access tokens of these sessions stop working within a second.',
    answers: [{ status: 204, description: 'The sessions have ended' }],
  })
  async endSessions(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    await this.administration.endSessions(principal, id);
  }

  @Delete(':id/authenticator')
  @Access({ right: 'administer', proof: true })
  @Describe({
    summary: 'Removes the authenticator of an operator who has lost it',
    description:
      'Their recovery codes stop working and their sessions end; in production they set up a new one at the next sign-in. Nobody removes their own (`CONFLICT`).',
    answers: [{ status: 204, description: 'The authenticator is removed' }],
    errors: ['CONFLICT'],
  })
  async resetAuthenticator(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    await this.administration.resetAuthenticator(principal, id);
  }
}

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
    summary: 'Lists suspended workspaces',
    description: 'The last suspended first.',
    answers: [{ status: 200, description: 'The workspaces', body: () => TenantStandingView, list: true }],
  })
  async list(@Query() { state: _, ...query }: ListTenantsQuery): Promise<ListAnswer<TenantStandingView>> {
    return this.suspensions.listSuspended(query);
  }

  @Patch(':id')
  @Access({ right: 'administer', proof: true })
  @Describe({
    summary: 'Moves a tenant to another plan, or changes what it may store',
    description:
      'The limits of the new plan apply at once; what exists beyond them is kept. Nobody sets the plan of the workspace that they are linked to.',
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
    summary: 'Returns what a workspace stores, and what it may',
    description: 'By its plan, or as operators have set it.',
    answers: [{ status: 200, description: 'The usage', body: () => WorkspaceUsage }],
  })
  getUsage(@IdParam() tenantId: string): Promise<WorkspaceUsage> {
    return this.usage.get(tenantId);
  }

  @Post(':id/suspend')
  @Access({ right: 'administer', proof: true })
  @Describe({
    summary: 'Suspends a workspace',
    description:
      'Within a second no token of the workspace is accepted anywhere: sessions, API keys, tokens of apps and embedded ones. Nobody signs in to it, no program gets a token, its hooks answer 404, and what its webhooks and workflows have to do waits. Suspending a suspended workspace changes nothing.',
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
    summary: 'Lifts the suspension of a workspace',
    description:
      'People sign in again, and apps ask users again: no token from before is accepted. API keys and credentials of apps work as they did, and what waited goes on.',
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

@ApiGroup({
  name: 'Embedding',
  description: 'What hosts do with the credentials of embedded apps.',
})
@Controller('operators/api/admin/embed-conflicts')
export class OperatorsEmbedConflictController {
  constructor(private readonly conflicts: EmbedConflictService) {}

  @Get()
  @Access({ right: 'administer', proof: false })
  @Describe({
    summary: 'Lists apps whose hosts presented addresses of other workspaces',
    description:
      'A mint tells whether an address has an account in another workspace, so an app that asks for many may be searching for accounts. After 20 conflicts in an hour its mints are throttled.',
    answers: [
      { status: 200, description: 'The latest hour of each app, newest first', body: () => EmbedConflictListView },
    ],
  })
  async list(@CurrentPrincipal() principal: Principal): Promise<EmbedConflictListView> {
    return { data: await this.conflicts.list(principal) };
  }
}

/** This service's part of the trail of operators, which marketplace-admin shows together with that of marketplace-certification. */
@Controller('operators/audit')
@Access({ right: 'administer', proof: false })
export class OperatorsAuditController {
  constructor(private readonly database: Database) {}

  @Get()
  @Describe({ summary: 'Lists what operators did', hidden: true })
  list(@Query() query: OperatorAuditQuery): Promise<OperatorAuditPage> {
    return this.database.transaction(PLATFORM_TENANT, (tx) => listOperatorAudit(tx, query));
  }
}

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
  description: 'The people who run the platform, their roles, and their sessions. A command creates them.',
})
@Controller('operators/api/admin/operators')
@Access({ right: 'administer', proof: false })
export class OperatorController {
  constructor(private readonly administration: OperatorAdministrationService) {}

  @Get()
  @Describe({
    summary: 'List operators',
    description: 'Includes disabled operators.',
    answers: [{ status: 200, description: 'The operators, oldest first', body: () => OperatorListView }],
  })
  async list(): Promise<OperatorListView> {
    return { data: await this.administration.list() };
  }

  @Patch(':id')
  @Access({ right: 'administer', proof: true })
  @Describe({
    summary: 'Update an operator',
    description:
      "The operator's access tokens are revoked within a second; disabling also ends the sessions. The last active administrator can't be changed, and you can't change your own link (`CONFLICT`).",
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
    summary: 'End all sessions of an operator',
    description: 'Their access tokens stop working within a second.',
    answers: [{ status: 204, description: 'The sessions have ended' }],
  })
  async endSessions(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    await this.administration.endSessions(principal, id);
  }

  @Delete(':id/authenticator')
  @Access({ right: 'administer', proof: true })
  @Describe({
    summary: "Remove an operator's authenticator app",
    description:
      "For an operator who has lost it. Their recovery codes stop working and their sessions end; in production they set up a new app at the next sign-in. You can't remove your own (`CONFLICT`).",
    answers: [{ status: 204, description: 'The authenticator app is removed' }],
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

@ApiGroup({
  name: 'Embedding',
  description: 'How hosts use the credentials of embedded apps.',
})
@Controller('operators/api/admin/embed-conflicts')
export class OperatorsEmbedConflictController {
  constructor(private readonly conflicts: EmbedConflictService) {}

  @Get()
  @Access({ right: 'administer', proof: false })
  @Describe({
    summary: 'List embed conflicts',
    description:
      'A mint reveals whether an address has an account in another workspace, so an app with many conflicts may be searching for accounts. After 20 conflicts in an hour, its mints are throttled.',
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
  @Describe({ summary: "List the operators' audit trail", hidden: true })
  list(@Query() query: OperatorAuditQuery): Promise<OperatorAuditPage> {
    return this.database.transaction(PLATFORM_TENANT, (tx) => listOperatorAudit(tx, query));
  }
}

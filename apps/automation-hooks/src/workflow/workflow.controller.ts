import { Access, CurrentPrincipal } from '@crm/access';
import { type Principal } from '@crm/context';
import { Describe, IdParam, type ListAnswer, ListQuery, NotRepeatable } from '@crm/http';
import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ChangeWorkflow, CreatedWorkflow, CreateWorkflow, HookAddress, WorkflowView } from './workflow.dto.js';
import { WorkflowService } from './workflow.service.js';

@Controller('api/crm/automations/workflows')
export class WorkflowController {
  constructor(private readonly workflows: WorkflowService) {}

  @Post()
  @NotRepeatable()
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Creates a workflow',
    answers: [{ status: 201, description: 'The workflow', body: () => CreatedWorkflow }],
  })
  create(@CurrentPrincipal() principal: Principal, @Body() body: CreateWorkflow): Promise<CreatedWorkflow> {
    return this.workflows.create(principal, body);
  }

  @Get()
  @Access({ right: 'read', scope: 'automations' })
  @Describe({
    summary: 'Lists workflows, newest first',
    answers: [{ status: 200, description: 'A page', body: () => WorkflowView, list: true }],
  })
  list(@CurrentPrincipal() principal: Principal, @Query() query: ListQuery): Promise<ListAnswer<WorkflowView>> {
    return this.workflows.list(principal, query);
  }

  @Get(':id')
  @Access({ right: 'read', scope: 'automations' })
  @Describe({
    summary: 'Reads a workflow',
    answers: [{ status: 200, description: 'The workflow', body: () => WorkflowView }],
  })
  get(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<WorkflowView> {
    return this.workflows.get(principal, id);
  }

  @Get(':id/hook')
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Shows the URL that starts a workflow',
    answers: [{ status: 200, description: 'The URL, secret included', body: () => HookAddress }],
  })
  async hook(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<HookAddress> {
    return { hookUrl: await this.workflows.revealHook(principal, id) };
  }

  @Patch(':id')
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Enables or disables a workflow',
    answers: [{ status: 200, description: 'The workflow', body: () => WorkflowView }],
  })
  change(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: string,
    @Body() body: ChangeWorkflow,
  ): Promise<WorkflowView> {
    return this.workflows.setEnabled(principal, id, body.enabled);
  }

  @Delete(':id')
  @HttpCode(204)
  @Access({ right: 'administer' })
  @Describe({ summary: 'Removes a workflow; its runs stay', answers: [{ status: 204, description: 'Gone' }] })
  delete(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    return this.workflows.delete(principal, id);
  }
}

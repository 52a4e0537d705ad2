import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { ApiGroup, BodyLimit, Describe, IdParam, type ListAnswer, ListQuery, NotRepeatable } from '@crm/http';
import { RpcHandler } from '@crm/messaging';
import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { WORKFLOW_GROUP } from '../hook/hook.dto.js';
import { ChangeWorkflowInput, CreatedWorkflowView, CreateWorkflowInput, WorkflowView } from './workflow.dto.js';
import { WorkflowService } from './workflow.service.js';
import { WorkflowProvisioningService } from './workflow-provisioning.service.js';

/** Enough for the longest definition, however it is escaped. */
const MAX_BODY_BYTES = 256 * 1024;

@ApiGroup(WORKFLOW_GROUP)
@Controller('api/crm/automations/workflows')
export class WorkflowController {
  constructor(private readonly workflows: WorkflowService) {}

  @Post()
  @NotRepeatable()
  @BodyLimit(MAX_BODY_BYTES)
  @Access({ right: 'administer', proof: false })
  @Describe({
    summary: 'Create a workflow',
    description: 'A workflow with the trigger `webhook_received` gets a hook URL. Keep it secret.',
    answers: [{ status: 201, description: 'The workflow', body: () => CreatedWorkflowView }],
    errors: ['WORKFLOW_LIMIT_EXCEEDED', 'WORKFLOW_INVALID'],
  })
  create(@CurrentPrincipal() principal: Principal, @Body() body: CreateWorkflowInput): Promise<CreatedWorkflowView> {
    return this.workflows.create(principal, body);
  }

  @Get()
  @Access({ right: 'read', scope: 'automations' })
  @Describe({
    summary: 'List workflows',
    description: 'Only admins see conditions and the details of actions.',
    answers: [{ status: 200, description: 'The workflows, newest first', body: () => WorkflowView, list: true }],
  })
  list(@CurrentPrincipal() principal: Principal, @Query() query: ListQuery): Promise<ListAnswer<WorkflowView>> {
    return this.workflows.list(principal, query);
  }

  @Get(':id')
  @Access({ right: 'read', scope: 'automations' })
  @Describe({
    summary: 'Get a workflow',
    description: 'Only admins see conditions and the details of actions.',
    answers: [{ status: 200, description: 'The workflow', body: () => WorkflowView }],
  })
  get(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<WorkflowView> {
    return this.workflows.get(principal, id);
  }

  @Patch(':id')
  @Access({ right: 'administer', proof: false })
  @Describe({
    summary: 'Enable or disable a workflow',
    description:
      'A disabled workflow starts no runs, and its hook URL returns 404. Runs it has already accepted finish.',
    answers: [{ status: 200, description: 'The workflow', body: () => WorkflowView }],
  })
  change(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: string,
    @Body() body: ChangeWorkflowInput,
  ): Promise<WorkflowView> {
    return this.workflows.setEnabled(principal, id, body.enabled);
  }

  @Delete(':id')
  @Access({ right: 'administer', proof: false })
  @Describe({
    summary: 'Delete a workflow',
    description:
      "Its runs are kept. Runs that haven't ended are cancelled with `WORKFLOW_DELETED`; one in progress ends after its current step. An app's workflow can only be disabled (`CONFLICT`).",
    errors: ['CONFLICT'],
    answers: [{ status: 204, description: 'The workflow is deleted' }],
  })
  delete(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    return this.workflows.delete(principal, id);
  }
}

const ADMINISTER = { right: 'administer', proof: false } as const;

/** Called by the marketplace when apps are installed, upgraded and removed. */
@Controller()
export class WorkflowRpc {
  constructor(private readonly provisioning: WorkflowProvisioningService) {}

  @RpcHandler(rpc.automations.provisionWorkflows)
  @Access(ADMINISTER)
  async provision(
    @Payload() request: RpcRequest<typeof rpc.automations.provisionWorkflows>,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RpcResponse<typeof rpc.automations.provisionWorkflows>> {
    return { hooks: await this.provisioning.provision(principal, request) };
  }

  @RpcHandler(rpc.automations.removeWorkflows)
  async remove(
    request: RpcRequest<typeof rpc.automations.removeWorkflows>,
  ): Promise<RpcResponse<typeof rpc.automations.removeWorkflows>> {
    return { removed: await this.provisioning.remove(request.tenantId, request.installationId) };
  }

  @RpcHandler(rpc.automations.listHooks)
  @Access(ADMINISTER)
  async listHooks(
    @Payload() request: RpcRequest<typeof rpc.automations.listHooks>,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RpcResponse<typeof rpc.automations.listHooks>> {
    return { hooks: await this.provisioning.listHooks(principal, request.installationId) };
  }
}

import { type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { type RpcContext, RpcHandler, requireRight } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { WorkflowProvisioning } from './workflow.provisioning.js';

/** Asked on behalf of an administrator. */
const ADMINISTER = { right: 'administer' } as const;

/** What the marketplace asks for when apps are installed, upgraded and removed. */
@Injectable()
export class WorkflowRpc {
  constructor(private readonly provisioning: WorkflowProvisioning) {}

  @RpcHandler(rpc.automations.provisionWorkflows)
  async provision(
    request: RpcRequest<typeof rpc.automations.provisionWorkflows>,
    context: RpcContext,
  ): Promise<RpcResponse<typeof rpc.automations.provisionWorkflows>> {
    return { hooks: await this.provisioning.provision(requireRight(context, ADMINISTER), request) };
  }

  @RpcHandler(rpc.automations.removeWorkflows)
  async remove(
    request: RpcRequest<typeof rpc.automations.removeWorkflows>,
  ): Promise<RpcResponse<typeof rpc.automations.removeWorkflows>> {
    return { removed: await this.provisioning.remove(request.tenantId, request.installationId) };
  }

  @RpcHandler(rpc.automations.listHooks)
  async listHooks(
    request: RpcRequest<typeof rpc.automations.listHooks>,
    context: RpcContext,
  ): Promise<RpcResponse<typeof rpc.automations.listHooks>> {
    return { hooks: await this.provisioning.listHooks(requireRight(context, ADMINISTER), request.installationId) };
  }
}

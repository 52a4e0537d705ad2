import { authorize, type Principal } from '@crm/access';
import { PlatformError, type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { type RpcContext, RpcHandler } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { WorkflowProvisioning } from './workflow.provisioning.js';

/** What the marketplace asks for when apps are installed, upgraded and removed. */
@Injectable()
export class WorkflowRpc {
  constructor(private readonly provisioning: WorkflowProvisioning) {}

  @RpcHandler(rpc.automations.provisionWorkflows)
  async provision(
    request: RpcRequest<typeof rpc.automations.provisionWorkflows>,
    context: RpcContext,
  ): Promise<RpcResponse<typeof rpc.automations.provisionWorkflows>> {
    return { hooks: await this.provisioning.provision(administrator(context), request) };
  }

  @RpcHandler(rpc.automations.removeWorkflows)
  async remove(
    request: RpcRequest<typeof rpc.automations.removeWorkflows>,
    context: RpcContext,
  ): Promise<RpcResponse<typeof rpc.automations.removeWorkflows>> {
    return { removed: await this.provisioning.remove(administrator(context), request.installationId) };
  }

  @RpcHandler(rpc.automations.listHooks)
  async listHooks(
    request: RpcRequest<typeof rpc.automations.listHooks>,
    context: RpcContext,
  ): Promise<RpcResponse<typeof rpc.automations.listHooks>> {
    return { hooks: await this.provisioning.listHooks(administrator(context), request.installationId) };
  }
}

function administrator({ principal }: RpcContext): Principal {
  if (!principal) throw new PlatformError('UNAUTHENTICATED');
  authorize(principal, { right: 'administer' });
  return principal;
}

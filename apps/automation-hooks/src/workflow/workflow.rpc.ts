import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { WorkflowProvisioningService } from './workflow-provisioning.service.js';

/** Asked on behalf of an administrator. */
const ADMINISTER = { right: 'administer' } as const;

/** What the marketplace calls when apps are installed, upgraded and removed. */
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

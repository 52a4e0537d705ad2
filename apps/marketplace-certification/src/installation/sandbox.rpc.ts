import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { SandboxService } from './sandbox.service.js';

type ListSandboxes = typeof rpc.marketplace.listSandboxes;

/** webhook-dispatcher asks this when a developer listens to the deliveries of an app. */
@Controller()
export class SandboxRpc {
  constructor(private readonly sandboxes: SandboxService) {}

  @RpcHandler(rpc.marketplace.listSandboxes)
  @Access({ right: 'administer' })
  async list(
    @Payload() { appKey }: RpcRequest<ListSandboxes>,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RpcResponse<ListSandboxes>> {
    return { installationIds: await this.sandboxes.list(principal, appKey) };
  }
}

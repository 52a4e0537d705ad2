import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { SubscriptionService } from './subscription.service.js';

type Contracts = typeof rpc.webhooks;

/** Called on behalf of an administrator. */
const ADMINISTER = { right: 'administer' } as const;

/** Subscriptions of apps, which are created and removed with their installations. */
@Controller()
export class SubscriptionRpc {
  constructor(private readonly subscriptions: SubscriptionService) {}

  @RpcHandler(rpc.webhooks.provisionSubscriptions)
  @Access(ADMINISTER)
  async provision(
    @Payload() request: RpcRequest<Contracts['provisionSubscriptions']>,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RpcResponse<Contracts['provisionSubscriptions']>> {
    return { subscriptions: await this.subscriptions.provision(principal.tenantId, principal.userId, request) };
  }

  @RpcHandler(rpc.webhooks.removeSubscriptions)
  async remove({
    tenantId,
    installationId,
    discard,
  }: RpcRequest<Contracts['removeSubscriptions']>): Promise<RpcResponse<Contracts['removeSubscriptions']>> {
    return { removed: await this.subscriptions.remove(tenantId, installationId, discard) };
  }
}

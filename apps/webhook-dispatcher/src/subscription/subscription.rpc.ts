import type { Principal } from '@crm/access';
import { PlatformError, type RpcRequest, type RpcResponse, rolesAllow, rpc } from '@crm/contracts';
import { type RpcContext, RpcHandler } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { SubscriptionService } from './subscription.service.js';

type Contracts = typeof rpc.webhooks;

/** Subscriptions come and go with installations; the marketplace asks on behalf of an administrator. */
@Injectable()
export class SubscriptionRpc {
  constructor(private readonly subscriptions: SubscriptionService) {}

  @RpcHandler(rpc.webhooks.provisionSubscriptions)
  async provision(
    request: RpcRequest<Contracts['provisionSubscriptions']>,
    context: RpcContext,
  ): Promise<RpcResponse<Contracts['provisionSubscriptions']>> {
    const { tenantId, userId } = administrator(context);
    return { subscriptions: await this.subscriptions.provision(tenantId, userId, request) };
  }

  @RpcHandler(rpc.webhooks.removeSubscriptions)
  async remove(
    { installationId }: RpcRequest<Contracts['removeSubscriptions']>,
    context: RpcContext,
  ): Promise<RpcResponse<Contracts['removeSubscriptions']>> {
    return { removed: await this.subscriptions.remove(administrator(context).tenantId, installationId) };
  }
}

function administrator({ principal }: RpcContext): Principal {
  if (!principal || !rolesAllow(principal.roles, 'administer')) throw new PlatformError('FORBIDDEN');
  return principal;
}

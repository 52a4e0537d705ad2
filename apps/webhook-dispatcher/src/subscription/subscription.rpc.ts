import { type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { type RpcContext, RpcHandler, requireRight } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { SubscriptionService } from './subscription.service.js';

type Contracts = typeof rpc.webhooks;

/** Asked on behalf of an administrator. */
const ADMINISTER = { right: 'administer' } as const;

/** Subscriptions come and go with installations. */
@Injectable()
export class SubscriptionRpc {
  constructor(private readonly subscriptions: SubscriptionService) {}

  @RpcHandler(rpc.webhooks.provisionSubscriptions)
  async provision(
    request: RpcRequest<Contracts['provisionSubscriptions']>,
    context: RpcContext,
  ): Promise<RpcResponse<Contracts['provisionSubscriptions']>> {
    const { tenantId, userId } = requireRight(context, ADMINISTER);
    return { subscriptions: await this.subscriptions.provision(tenantId, userId, request) };
  }

  @RpcHandler(rpc.webhooks.removeSubscriptions)
  async remove({
    tenantId,
    installationId,
  }: RpcRequest<Contracts['removeSubscriptions']>): Promise<RpcResponse<Contracts['removeSubscriptions']>> {
    return { removed: await this.subscriptions.remove(tenantId, installationId) };
  }
}

import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { SecretService } from './secret.service.js';
import { SubscriptionService } from './subscription.service.js';

type Provision = typeof rpc.webhooks.provisionSubscriptions;
type Remove = typeof rpc.webhooks.removeSubscriptions;
type Rotate = typeof rpc.webhooks.rotateAppSecret;

/** The marketplace creates and removes subscriptions of apps with their installations, and rotates the secrets of apps. */
@Controller()
export class SubscriptionRpc {
  constructor(
    private readonly subscriptions: SubscriptionService,
    private readonly secrets: SecretService,
  ) {}

  @RpcHandler(rpc.webhooks.provisionSubscriptions)
  @Access({ right: 'administer', proof: false })
  async provision(
    @Payload() request: RpcRequest<Provision>,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RpcResponse<Provision>> {
    return { subscriptions: await this.subscriptions.provision(principal.tenantId, principal.userId, request) };
  }

  @RpcHandler(rpc.webhooks.removeSubscriptions)
  async remove({ tenantId, installationId, discard }: RpcRequest<Remove>): Promise<RpcResponse<Remove>> {
    return { removed: await this.subscriptions.remove(tenantId, installationId, discard) };
  }

  @RpcHandler(rpc.webhooks.rotateAppSecret)
  async rotateSecret({ appKey, secret }: RpcRequest<Rotate>): Promise<RpcResponse<Rotate>> {
    return { updated: (await this.secrets.rotateOfApp(appKey, secret)) ? 1 : 0 };
  }
}

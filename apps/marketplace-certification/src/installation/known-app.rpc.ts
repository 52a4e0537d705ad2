import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { KnownAppService } from './known-app.service.js';

type IsAppKnown = typeof rpc.marketplace.isAppKnown;

/** custom-objects asks this when an administrator shares an object with an app. */
@Controller()
export class KnownAppRpc {
  constructor(private readonly apps: KnownAppService) {}

  @RpcHandler(rpc.marketplace.isAppKnown)
  @Access({ right: 'administer' })
  async isKnown(
    @Payload() { appKey }: RpcRequest<IsAppKnown>,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RpcResponse<IsAppKnown>> {
    return { known: await this.apps.isKnown(principal, appKey) };
  }
}

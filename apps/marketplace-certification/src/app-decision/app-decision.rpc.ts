import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { type AppImpact, type RpcRequest, rpc } from '@crm/contracts';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { AppDecisionService } from './app-decision.service.js';

/** The calls of operators about published apps, made through marketplace-admin. */
@Controller()
export class AppDecisionRpc {
  constructor(private readonly decisions: AppDecisionService) {}

  @RpcHandler(rpc.marketplace.getAppImpact)
  @Access({ right: 'read' })
  measure(
    @Payload() { appKey }: RpcRequest<typeof rpc.marketplace.getAppImpact>,
    @CurrentPrincipal() operator: Principal,
  ): Promise<AppImpact> {
    return this.decisions.measure(operator, appKey);
  }

  @RpcHandler(rpc.marketplace.decideApp)
  @Access({ right: 'administer' })
  decide(
    @Payload() { appKey, decision, reason }: RpcRequest<typeof rpc.marketplace.decideApp>,
    @CurrentPrincipal() operator: Principal,
  ): Promise<AppImpact> {
    return this.decisions.decide(operator, appKey, decision, reason);
  }
}

import { type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { appDeliveryView, attemptView } from './ledger.dto.js';
import { LedgerService } from './ledger.service.js';

type List = typeof rpc.webhooks.listAppDeliveries;
type Find = typeof rpc.webhooks.findAppDelivery;
type Count = typeof rpc.webhooks.countAppDeliveries;

/** The marketplace, which knows who develops an app, asks on behalf of developers; tenants and data are not shown. */
@Controller()
export class AppLedgerRpc {
  constructor(private readonly ledger: LedgerService) {}

  @RpcHandler(rpc.webhooks.listAppDeliveries)
  async list({ appKey, filter, after, ...page }: RpcRequest<List>): Promise<RpcResponse<List>> {
    const [deliveries, counted] = await this.ledger.page({ appKey }, filter, { after, ...page });
    return { deliveries: deliveries.map(appDeliveryView), counted };
  }

  @RpcHandler(rpc.webhooks.findAppDelivery)
  async find({ appKey, id }: RpcRequest<Find>): Promise<RpcResponse<Find>> {
    const found = await this.ledger.find({ appKey }, id);
    if (found === null) return { found };
    return { found: { delivery: appDeliveryView(found.delivery), attempts: found.attempts.map(attemptView) } };
  }

  @RpcHandler(rpc.webhooks.countAppDeliveries)
  async count({ appKey, ...time }: RpcRequest<Count>): Promise<RpcResponse<Count>> {
    const hours = await this.ledger.countByHour({ appKey }, time);
    return { hours: hours.map(({ at, ...counts }) => ({ at: at.toISOString(), ...counts })) };
  }
}

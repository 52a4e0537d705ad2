import { type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { appDeliveryView, attemptView } from './ledger.dto.js';
import { LedgerService } from './ledger.service.js';

type Contracts = typeof rpc.webhooks;

/** The marketplace, which knows who develops an app, asks on behalf of developers; tenants and data are not shown. */
@Controller()
export class AppLedgerRpc {
  constructor(private readonly ledger: LedgerService) {}

  @RpcHandler(rpc.webhooks.listAppDeliveries)
  async list({
    appKey,
    filter,
    after,
    ...page
  }: RpcRequest<Contracts['listAppDeliveries']>): Promise<RpcResponse<Contracts['listAppDeliveries']>> {
    const [deliveries, counted] = await this.ledger.page({ appKey }, filter, { after, ...page });
    return { deliveries: deliveries.map(appDeliveryView), counted };
  }

  @RpcHandler(rpc.webhooks.findAppDelivery)
  async find({
    appKey,
    id,
  }: RpcRequest<Contracts['findAppDelivery']>): Promise<RpcResponse<Contracts['findAppDelivery']>> {
    const found = await this.ledger.find({ appKey }, id);
    if (found === null) return { found };
    return { found: { delivery: appDeliveryView(found.delivery), attempts: found.attempts.map(attemptView) } };
  }

  @RpcHandler(rpc.webhooks.countAppDeliveries)
  async count({
    appKey,
    ...time
  }: RpcRequest<Contracts['countAppDeliveries']>): Promise<RpcResponse<Contracts['countAppDeliveries']>> {
    const hours = await this.ledger.countByHour({ appKey }, time);
    return { hours: hours.map(({ at, ...counts }) => ({ at: at.toISOString(), ...counts })) };
  }
}

import { type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { AppLedgerService } from './app-ledger.service.js';

type Contracts = typeof rpc.webhooks;

/** The marketplace, which knows who develops an app, asks on behalf of developers. */
@Controller()
export class AppLedgerRpc {
  constructor(private readonly ledger: AppLedgerService) {}

  @RpcHandler(rpc.webhooks.listAppDeliveries)
  async list({
    appKey,
    filter,
    after,
    ...page
  }: RpcRequest<Contracts['listAppDeliveries']>): Promise<RpcResponse<Contracts['listAppDeliveries']>> {
    const { status, event, errorCode, ...time } = filter;
    return this.ledger.list(
      appKey,
      { status: status ?? null, event: event ?? null, errorCode: errorCode ?? null, ...time },
      { after: after ?? null, ...page },
    );
  }

  @RpcHandler(rpc.webhooks.findAppDelivery)
  async find({
    appKey,
    id,
  }: RpcRequest<Contracts['findAppDelivery']>): Promise<RpcResponse<Contracts['findAppDelivery']>> {
    return { found: await this.ledger.find(appKey, id) };
  }

  @RpcHandler(rpc.webhooks.countAppDeliveries)
  async count({
    appKey,
    ...time
  }: RpcRequest<Contracts['countAppDeliveries']>): Promise<RpcResponse<Contracts['countAppDeliveries']>> {
    const hours = await this.ledger.countByHour(appKey, time);
    return { hours: hours.map(({ at, ...counts }) => ({ at: at.toISOString(), ...counts })) };
  }
}

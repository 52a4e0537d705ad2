import { type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { stepCall } from '@crm/idempotency';
import { type RpcContext, RpcHandler, requireRight } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { RecordService } from './record.service.js';

type Contracts = typeof rpc.customObjects;

const WRITE = { right: 'write', scope: 'custom_objects' } as const;

/** Workflow runs write records with the rights of the workflow's author or installation. */
@Injectable()
export class RecordRpc {
  constructor(private readonly records: RecordService) {}

  @RpcHandler(rpc.customObjects.createCustomRecord)
  async create(
    { apiName, values, idempotencyKey }: RpcRequest<Contracts['createCustomRecord']>,
    context: RpcContext,
  ): Promise<RpcResponse<Contracts['createCustomRecord']>> {
    const caller = requireRight(context, WRITE);
    const route = `${rpc.customObjects.createCustomRecord.subject} ${apiName}`;
    const call = stepCall(caller, route, idempotencyKey, values);
    const { record } = await this.records.create(caller, apiName, values, call);
    return { id: record.id };
  }

  @RpcHandler(rpc.customObjects.updateCustomRecord)
  async update(
    { apiName, id, values }: RpcRequest<Contracts['updateCustomRecord']>,
    context: RpcContext,
  ): Promise<RpcResponse<Contracts['updateCustomRecord']>> {
    const { record } = await this.records.update(requireRight(context, WRITE), apiName, id, values, null);
    return { id: record.id };
  }
}
